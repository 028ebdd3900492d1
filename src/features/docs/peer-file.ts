import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Content, createContent, once } from './content.js'

// Shared by all applications of a process, because the files are the same for all and one has 1.7 MB.
const files = new Map<string, () => Promise<Content>>()

/** Returns a function that loads a file of `swagger-ui-dist`, at its first call. */
export function peerFile(directory: string, name: string, type: string): () => Promise<Content> {
  const path = join(directory, name)
  const known = files.get(path)
  if (known !== undefined) return known
  const load = once(async () => createContent(type, await readFile(path)))
  files.set(path, load)
  return load
}
