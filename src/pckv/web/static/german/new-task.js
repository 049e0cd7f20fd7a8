// German texts of the pages, by their English ones: new-task.
export default {};
