// German texts of the pages, by their English ones: results.
export default {};
