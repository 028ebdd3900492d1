import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Content, createContent, once } from './content.js'

// Files of an installed package are the same for every application of a process, and one of them is 1.7 MB.
const files = new Map<string, () => Promise<Content>>()

/** A file of `swagger-ui-dist`, read when it is first asked for. */
export function peerFile(directory: string, name: string, type: string): () => Promise<Content> {
  const path = join(directory, name)
  const known = files.get(path)
  if (known !== undefined) return known
  const load = once(async () => createContent(type, await readFile(path)))
  files.set(path, load)
  return load
}
