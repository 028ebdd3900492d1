import type { Kind } from './part-kinds.js'
import { capital, type PartName } from './part-name.js'
import { folderOf, inFolder, type Project, type ProjectFile } from './project-files.js'

/** How the code of a project is written. */
export interface CodeStyle {
  readonly quote: "'" | '"'
  readonly hasSemicolons: boolean
  readonly indent: string
  readonly lineEnd: '\n' | '\r\n'
  /** The end of imports of own files: `.js`, `.ts` or nothing. */
  readonly extension: string
}

/** The style of most of the files. Without any, that of the templates. */
export function codeStyle(files: readonly ProjectFile[]): CodeStyle {
  const texts = files.map(({ text }) => text).join('\n')
  const count = (pattern: RegExp) => texts.match(pattern)?.length ?? 0
  const isMore = (pattern: RegExp, other: RegExp) => count(pattern) > count(other)
  const extensions = ['.js', '.ts', ''].map((extension) => {
    const end = extension === '' ? '(?<!\\.[cm]?[jt]s|\\.json)' : `\\${extension}`
    return { extension, count: count(new RegExp(`\\bfrom ['"]\\.\\.?/[^'"\\n]*${end}['"]`, 'g')) }
  })
  return {
    quote: isMore(/\bfrom "/g, /\bfrom '/g) ? '"' : "'",
    hasSemicolons: isMore(/\bfrom ['"][^'"\n]*['"];/g, /\bfrom ['"][^'"\n]*['"]\r?$/gm),
    indent: indentOf(count),
    lineEnd: isMore(/\r\n/g, /[^\r]\n/g) ? '\r\n' : '\n',
    extension: extensions.reduce((most, each) => (each.count > most.count ? each : most)).extension,
  }
}

function indentOf(count: (pattern: RegExp) => number): string {
  const two = count(/^ {2}(?=\S)/gm)
  if (count(/^\t/gm) > two + count(/^ {4}(?=\S)/gm)) return '\t'
  // Code with two blanks has lines with four, too.
  return two === 0 && count(/^ {4}(?=\S)/gm) > 0 ? '    ' : '  '
}

const SUFFIX = /([-._]?)(controller|module|plugin|guard|service|repository)$/i

/** The name of a file without its extension, as the project names the others: `orders-controller`, `OrdersController`. */
export function fileNamer({ sources }: Project): (name: PartName, kind: Kind) => string {
  const counts = new Map<string, number>()
  for (const { path } of sources) {
    const base = path.slice(path.lastIndexOf('/') + 1).replace(/\.[cm]?ts$/, '')
    const [suffix, separator = '', word = ''] = SUFFIX.exec(base) ?? []
    if (suffix === undefined || suffix === base) continue
    // `Orders.Controller` and `orders.controller` have the same separator: the second is far more frequent.
    const form = separator !== '' ? separator : /^[A-Z].*[A-Z]/.test(base) ? 'Pascal' : 'camel'
    if (separator !== '' || /^[A-Z]/.test(word)) counts.set(form, (counts.get(form) ?? 0) + 1)
  }
  const [form = '-'] = [...counts].reduce<[string?, number?]>(
    (most, each) => (each[1] > (most[1] ?? 0) ? each : most),
    [],
  )
  return ({ kebab, snake, camel, pascal }, kind) => {
    if (form === 'Pascal') return pascal + capital(kind)
    if (form === 'camel') return camel + capital(kind)
    return `${form === '_' ? snake : kebab}${form}${kind}`
  }
}

/** Where the test of a source file is, and by which runner it runs. */
export interface TestStyle {
  readonly runner: 'vitest' | 'node:test'
  readonly pathOf: (source: string) => string
}

/** The tests are where most tests are: beside the sources, or in one folder. Without any, in `test`. */
export function testStyle({ manifest, tests }: Project): TestStyle {
  const folders = tests.map(({ path }) => /^(?:tests?|__tests__)(?=\/)/.exec(path)?.[0])
  const [folder] = folders.filter((each) => each !== undefined)
  const isBeside = folders.filter((each) => each === undefined).length > folders.length / 2
  const specs = tests.filter(({ path }) => /\.spec\.[cm]?ts$/.test(path)).length
  const end = specs > tests.length / 2 ? '.spec.ts' : '.test.ts'
  const { scripts, dependencies, devDependencies } = manifest
  const uses = JSON.stringify([{ ...Object(dependencies), ...Object(devDependencies) }, scripts])
  return {
    runner: /\bvitest\b/.test(uses) ? 'vitest' : 'node:test',
    pathOf: (source) => {
      const name = `${source.slice(source.lastIndexOf('/') + 1).replace(/\.ts$/, '')}${end}`
      return inFolder(isBeside ? folderOf(source) : (folder ?? 'test'), name)
    },
  }
}
