import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readText } from '../write-files.js'

/** How a test can start a project's application. */
export interface TestStart {
  /** The expression, such as `await TestApp.create({ ...options, ...capsule.options })`. */
  readonly expression: string
  /** Whether the expression uses `capsule.options`. */
  readonly takesOptions: boolean
  /** Whether one of the project's tests starts the application in this way, so that its database is a test database. */
  readonly isOfTests: boolean
  /** The names to import, by module: `['../src/app.js', ['options']]`. */
  readonly imports: readonly (readonly [from: string, names: readonly string[]])[]
  /** The constants that the expression needs, as source text. */
  readonly constants: readonly string[]
}

/** A TypeScript file. */
export interface CodeFile {
  /** The path from the root of the package, with forward slashes. */
  readonly path: string
  readonly text: string
}

const FOLDERS = ['src', 'test', 'tests', '__tests__', 'e2e']
const TEST = /^(?!src\/)|(?:\/__tests__\/|\.(?:test|spec)\.[cm]?ts$)/
/** The maximum number of starts. Each start is tried by a test run, which takes time. */
const MOST = 4

const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*['"]([^'"\n]+)['"]/gm
/** Matches a constant that fits on one line. */
const CONSTANT = /^const ([\w$]+)\b[^\n]*[^\s({[,=\n]$(?!\n[ \t])/gm
const CREATE = /\bTestApp\s*\.\s*create\(/
const OPTIONS =
  /export\s+const\s+([\w$]+)\s*(?::\s*AppOptions\s*=|=\s*defineAppOptions\s*\(|=\s*\{)/g
/** Matches a bracket, or a string or comment that may contain brackets. */
const BRACKET = /'[^'\n]*'|"[^"\n]*"|`[^`]*`|\/\/.*|[([{]|[)\]}]/g

/** Reads the TypeScript files of a package without running them. */
export function readCode(root: string): CodeFile[] {
  return FOLDERS.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
        posix.join(folder, name.replaceAll('\\', '/')),
      ),
    )
    .filter((path) => /(?<!\.d)\.[cm]?ts$/.test(path))
    .sort()
    .map((path) => ({ path, text: readText(join(root, path)) ?? '' }))
}

/** Whether a file is a test or is shared by tests. */
export function isTest({ path }: CodeFile): boolean {
  return TEST.test(path)
}

/**
 * Finds how tests of a project start its application: with a shared function, with `TestApp.create`, or with the
 * options that a module exports. The search only reads the source text, so any result may be invalid, and the test must
 * be run.
 *
 * @param path The path of the new test.
 */
export function testStarts(code: readonly CodeFile[], path: string): TestStart[] {
  const tests = code.filter(isTest)
  const found = [
    ...tests.flatMap((file) => startsByFunction(file, tests)),
    ...tests.flatMap(startsByCreate),
    ...code.filter((file) => !isTest(file)).flatMap(startsByOptions),
  ].map(({ file, ...start }) => ({
    ...start,
    isOfTests: isTest(file),
    ...needsOf(start.expression, file, path),
  }))
  return [...new Map(found.map((each) => [each.expression, each])).values()].slice(0, MOST)
}

interface FoundStart extends Pick<TestStart, 'expression' | 'takesOptions'> {
  /** The file whose imports and constants the expression needs. */
  readonly file: CodeFile
}

/**
 * Finds starts such as `const { app } = await startShop({ plan: 'free' })`, where the file that defines `startShop`
 * creates a `TestApp`.
 */
function startsByFunction(file: CodeFile, tests: readonly CodeFile[]): FoundStart[] {
  return [...file.text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const way = posix.join(posix.dirname(file.path), from).replace(/\.[jt]s$/, '')
    const shared = tests.find(({ path }) => path.replace(/\.ts$/, '') === way)?.text ?? ''
    if (!from.startsWith('.') || !CREATE.test(shared)) return []
    return localNames(names).flatMap((name) => {
      const call = new RegExp(`([\\w$]+|\\{[^{}=]*\\bapp\\b[^{}=]*\\})\\s*=\\s*await\\s+${name}\\(`)
      const match = call.exec(file.text)
      if (match === null) return []
      const [whole, target = ''] = match
      const given = contentAt(file.text, match.index + whole.length - 1)
      const isObject = /^(?:\{.*\})?$/s.test(given)
      const hasParameter = new RegExp(`\\b${name}\\s*(?:=\\s*(?:async\\s*)?)?\\(\\s*[^)\\s]`)
      const start = (list: string) => {
        return target.startsWith('{') ? `(await ${name}(${list})).app` : `await ${name}(${list})`
      }
      const plain = { file, expression: start(given), takesOptions: false }
      if (!isObject || !hasParameter.test(shared)) return [plain]
      return [{ file, expression: start(withCapsule(given)), takesOptions: true }, plain]
    })
  })
}

function startsByCreate(file: CodeFile): FoundStart[] {
  return [...file.text.matchAll(new RegExp(CREATE, 'g'))].flatMap(({ index, 0: { length } }) => {
    const given = contentAt(file.text, index + length - 1)
    // A test of one part of the application lists only that part.
    const isOfPart = /\b(?:controllers|modules|plugins)\b\s*[:,]/.test(given)
    if (isOfPart || !/^\{.*\.\.\..*\}$/s.test(given)) return []
    const expression = `await TestApp.create(${withCapsule(given)})`
    return [{ file, expression, takesOptions: true }]
  })
}

function startsByOptions({ path, text }: CodeFile): FoundStart[] {
  if (!/['"]blazon['"]/.test(text)) return []
  const [, end = ''] = /\bfrom\s*['"]\.[^'"\n]*?(\.[jt]s)?['"]/.exec(text) ?? [undefined, '.js']
  return [...text.matchAll(OPTIONS)].map(([, name = '']) => ({
    file: { path, text: `import { ${name} } from './${posix.basename(path, '.ts')}${end}'` },
    expression: `await TestApp.create({ ...${name}, ...capsule.options })`,
    takesOptions: true,
  }))
}

/** Adds the capsule's options: `{ ...options, ...capsule.options }` */
function withCapsule(given: string): string {
  const own = given.slice(1, -1).trim().replace(/,$/, '')
  return `{ ${own}${own === '' ? '' : ', '}...capsule.options }`
}

/**
 * Returns the imports and constants that an expression needs when it moves from one file to a file with a different
 * path.
 */
function needsOf(
  expression: string,
  { path: old, text }: CodeFile,
  path: string,
): Pick<TestStart, 'imports' | 'constants'> {
  const constants: string[] = []
  const needs = (name: string) =>
    new RegExp(`(?<![\\w$])${name}(?![\\w$]|\\s*:)`).test([...constants, expression].join('\n'))
  // Each constant may depend on constants above it.
  for (const [line, name = ''] of [...text.matchAll(CONSTANT)].reverse()) {
    if (needs(name)) constants.unshift(line)
  }
  const imports = [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) => {
    const used = localNames(names).filter(needs)
    return used.length === 0 ? [] : [[moved(from, old, path), used] as const]
  })
  return { imports, constants }
}

/** Returns the names of an import. A renamed import is omitted. */
function localNames(list: string): string[] {
  return list.split(',').flatMap((each) => /^\s*([A-Za-z_]\w*)\s*$/.exec(each)?.[1] ?? [])
}

/** Returns the source text between a bracket and its closing bracket. */
function contentAt(text: string, open: number): string {
  let depth = 0
  for (const { 0: token, index } of text.slice(open).matchAll(BRACKET)) {
    if (token.length === 1) depth += '([{'.includes(token) ? 1 : -1
    if (depth === 0) return text.slice(open + 1, open + index).trim()
  }
  return ''
}

/** Returns a relative import, adapted from one file to another. */
function moved(from: string, old: string, path: string): string {
  if (!from.startsWith('.')) return from
  const way = posix.relative(`/${posix.dirname(path)}`, posix.join('/', posix.dirname(old), from))
  return way.startsWith('.') ? way : `./${way}`
}
