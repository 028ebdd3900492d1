import { posix } from 'node:path'
import { type CodeList, readList } from './code-list.js'
import { folderOf, type Project, type ProjectFile } from './project-files.js'

/** How a test of the project makes its application, for another test. */
export interface TestSetup {
  /** The properties that are given to `TestApp.create`, as written. */
  readonly properties: readonly string[]
  /** The names that the properties need, with the files that export them: `{ options: '../src/app.js' }`. */
  readonly imports: Readonly<Record<string, string>>
  /** The constants that the properties need, as written. */
  readonly constants: readonly string[]
}

const CREATE = /\bTestApp\s*\.\s*create\(\s*\{/g
const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*['"]([^'"\n]+)['"]/gm
/** A word that is no property of another value. It may follow `...`. */
const NAME = /(?<![\w$]|(?<!\.\.)\.\s*)[A-Za-z_$][\w$]*/g
/** Names that no file declares. */
const KNOWN = /^(?:process|true|false|null|undefined|new|Number|String|Date|URL)$/

/**
 * How the first test with the options of the application makes it: `TestApp.create({ ...options, … })`. A test that
 * checks the contract comes first. Returns `undefined` where there is none, or its code needs more than imports and
 * constants of one line.
 *
 * @param path The path of the test that needs the setup.
 */
export function testSetup({ tests }: Project, path: string): TestSetup | undefined {
  const others = tests.filter((each) => each.path !== path)
  const setups = others.flatMap((file) =>
    [...file.mask.matchAll(CREATE)].flatMap(({ index, 0: { length } }) => {
      const list = readList(file.mask, index + length - 1)
      return (list && setupOf(file, list, path)) ?? []
    }),
  )
  const checks = ({ properties }: TestSetup) => properties.some((each) => /^contract\b/.test(each))
  return setups.find(checks) ?? setups[0]
}

function setupOf(file: ProjectFile, list: CodeList, path: string): TestSetup | undefined {
  const items = list.items.map(({ start, end }) => ({
    text: dedented(file.text.slice(start, end), columnOf(file.text, start)),
    mask: file.mask.slice(start, end),
  }))
  if (!items.some(({ mask }) => mask.startsWith('...'))) return undefined
  // A test of one part lists that part.
  if (items.some(({ mask }) => /^(?:controllers|modules|plugins)\b/.test(mask))) return undefined
  const found = { imports: new Map<string, string>(), constants: new Map<string, string>() }
  const isComplete = items.every(({ mask }) => findNames(mask, file, found))
  if (!isComplete) return undefined
  const imports = [...found.imports].map(([name, from]) => [name, moved(from, file.path, path)])
  return {
    properties: items.map(({ text }) => text),
    imports: Object.fromEntries(imports),
    constants: [...found.constants.values()],
  }
}

interface Found {
  readonly imports: Map<string, string>
  readonly constants: Map<string, string>
}

/** Finds what declares the names of code; `false` if a declaration is not found. */
function findNames(mask: string, file: ProjectFile, found: Found): boolean {
  return namesIn(mask).every((name) => {
    if (KNOWN.test(name) || found.imports.has(name) || found.constants.has(name)) return true
    const from = importsOf(file).get(name)
    if (from !== undefined) {
      found.imports.set(name, from)
      return true
    }
    const constant = new RegExp(`^const ${name}\\b.*=(.*[^\\s({\\[,=])$(?!\\n[ \\t])`, 'm').exec(
      file.mask,
    )
    if (constant === null) return false
    found.constants.set(name, file.text.slice(constant.index, constant.index + constant[0].length))
    return findNames(constant[1] ?? '', file, found)
  })
}

/** The names that code uses. Keys of objects are none. */
function namesIn(mask: string): string[] {
  return [...mask.matchAll(NAME)]
    .filter(({ index, 0: name }) => {
      const isKey = /^\s*:/.test(mask.slice(index + name.length))
      return !(isKey && /(?:^|[{,])\s*$/.test(mask.slice(0, index)))
    })
    .map(([name]) => name)
}

function importsOf({ text }: ProjectFile): Map<string, string> {
  const imports = [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) =>
    names.split(',').map((name) => [name.trim(), from] as const),
  )
  return new Map(imports.filter(([name]) => /^[\w$]+$/.test(name)))
}

/** A relative import of one file in another one. */
function moved(from: string, old: string, path: string): string {
  if (!from.startsWith('.')) return from
  const way = posix.relative(`/${folderOf(path)}`, posix.join(`/${folderOf(old)}`, from))
  return way.startsWith('.') ? way : `./${way}`
}

function columnOf(text: string, at: number): number {
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at)
  return /^\s*/.exec(line)?.[0].length ?? 0
}

/** The text without the indentation of its first line. */
function dedented(text: string, column: number): string {
  return text.replace(new RegExp(`(\\n)[ \\t]{0,${column}}`, 'g'), '$1')
}
