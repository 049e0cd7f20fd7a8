// German texts of the pages, by their English ones: server.
export default {};
