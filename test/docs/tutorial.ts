import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { blocksOf, read, tutorial } from './markdown.js'

/** A page of the tutorial, and the project of a reader who has followed all pages up to it. */
export interface Step {
  /** Such as `docs/tutorial/1-routes.md`. */
  readonly document: string
  /** The text of each file of the project, by path. */
  readonly files: ReadonlyMap<string, string>
  /** Paths of the files that this page shows. */
  readonly shown: readonly string[]
}

/** A file is shown as a line with its path, and a block below. */
const FILE = /^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$/gms

/** The pages, in order: each has the files of those before it. */
export function steps(): Step[] {
  const files = new Map<string, string>()
  return tutorial().map((document) => {
    const shown = [...read(document).matchAll(FILE)].map(([, path, text]) => {
      files.set(path as string, text as string)
      return path as string
    })
    return { document, files: new Map(files), shown }
  })
}

/** Writes the project of a step into a folder. */
export function writeProject(folder: string, { files }: Step): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** The names of the packages that the commands of all pages install. */
export function installedPackages(pages: readonly Step[]): string[] {
  const commands = pages
    .flatMap(({ document }) => blocksOf(document))
    .filter(({ info }) => info === 'sh')
    .flatMap(({ text }) => text.split('\n'))
  return commands
    .flatMap((command) => /^npm install (.*)$/.exec(command)?.[1]?.split(' ') ?? [])
    .filter((word) => !word.startsWith('-'))
    .map((word) => (word.endsWith('.tgz') ? 'blazon' : word))
}
