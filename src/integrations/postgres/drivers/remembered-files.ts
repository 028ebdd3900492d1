import type { FolderNode } from './memory-files.js'

/** A file of tests has one state of its database, seldom two. Each takes a few megabytes. */
const MOST = 4

const remembered = new Map<string, FolderNode>()

/** Returns the files of a database in this state, if an application of this process has made one. */
export function recallFiles(state: string | undefined): FolderNode | undefined {
  return state === undefined ? undefined : remembered.get(state)
}

export function rememberFiles(state: string, files: FolderNode): void {
  const [oldest] = remembered.keys()
  if (oldest !== undefined && remembered.size >= MOST) remembered.delete(oldest)
  remembered.set(state, files)
}
