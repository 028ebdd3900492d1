/** Whether the process runs in Bun, whose `node:http` creates requests and responses differently. */
export const IS_BUN: boolean = process.versions['bun'] !== undefined
