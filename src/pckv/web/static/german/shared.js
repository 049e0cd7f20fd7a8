// German texts of the pages, by their English ones: shared.
export default {};
