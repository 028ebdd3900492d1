/** Whether Bun runs the process. Its `node:http` makes requests and responses in another way. */
export const IS_BUN: boolean = process.versions['bun'] !== undefined
