"""The privacy card of a task: one page for an ethics board."""
