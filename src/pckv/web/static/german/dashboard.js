// German texts of the pages, by their English ones: dashboard.
export default {};
