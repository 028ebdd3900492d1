import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A fenced block of a document. */
export interface Block {
  readonly document: string
  /** Line of the fence, counted from 1. */
  readonly line: number
  /** What stands behind the fence: `ts`, `ts legacy`, `ts run`, `console`, … */
  readonly info: string
  /** What an HTML comment `<!-- with … -->` right above the fence adds, unseen by the reader. */
  readonly hidden: string
  readonly text: string
}

/** The pages of the tutorial. Their code is one project, which a test of its own runs. */
export function tutorial(): string[] {
  return readdirSync(join(root, 'docs/tutorial'))
    .sort()
    .map((name) => `docs/tutorial/${name}`)
}

/** Every other document of the repository that shows code. */
export function documents(): string[] {
  const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  return ['README.md', ...guides.sort().map((name) => `docs/${name}`)]
}

export function read(document: string): string {
  return readFileSync(join(root, document), 'utf8')
}

/** The fenced blocks of a document, in order. */
export function blocksOf(document: string): Block[] {
  const source = read(document)
  const pattern = /(?:<!-- with\n(.*?)-->\n)?^```([a-z][^\n]*)\n(.*?)^```$/gms
  return [...source.matchAll(pattern)].map((match) => {
    const [whole, hidden = '', info = '', text = ''] = match
    const fence = match.index + whole.indexOf('```')
    const line = source.slice(0, fence).split('\n').length
    return { document, line, info, hidden, text }
  })
}
