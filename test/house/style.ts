import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { parse, readSources, walk } from './sources.js'

const MAX_FILE_LINES = 400
const MAX_FUNCTION_LINES = 60
const MAX_IMPORTS = 27

const sources = readSources()

function linesOf(node: ts.Node, tree: ts.SourceFile): number {
  const line = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  return line(node.getEnd()) - line(node.getStart(tree)) + 1
}

/** Functions of more lines than allowed, as `file:line`. */
function longFunctions(path: string, tree: ts.SourceFile): string[] {
  return walk(tree)
    .filter((node) => ts.isFunctionLike(node) && linesOf(node, tree) > MAX_FUNCTION_LINES)
    .map((node) => {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree))
      return `${path}:${line + 1} has ${linesOf(node, tree)} lines`
    })
}

/** The files that a file imports, without the files whose names it only passes on. */
function countImports(tree: ts.SourceFile): number {
  return tree.statements.filter(ts.isImportDeclaration).length
}

function exportsAll(tree: ts.SourceFile): boolean {
  return tree.statements.some(
    (node) =>
      ts.isExportDeclaration(node) &&
      (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause)),
  )
}

function exportsDefault(tree: ts.SourceFile): boolean {
  return walk(tree).some((node) => {
    if (ts.isExportSpecifier(node)) return node.name.text === 'default'
    const modifiers = ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : []
    const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
    return ts.isExportAssignment(node) || isDefault
  })
}

/** Whether a file has code besides its types. */
function hasRuntimeCode(tree: ts.SourceFile): boolean {
  return tree.statements.some((node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return false
    if (ts.isImportDeclaration(node)) return node.importClause?.isTypeOnly !== true
    return !(ts.isExportDeclaration(node) && node.isTypeOnly)
  })
}

describe('the style checks', () => {
  it('detect every violation', () => {
    const long = `function f() {${'\n'.repeat(MAX_FUNCTION_LINES)}}`
    expect(longFunctions('x.ts', parse('x.ts', long))).toEqual(['x.ts:1 has 61 lines'])
    expect(countImports(parse('x.ts', "import './y.js'\nexport { z } from './z.js'"))).toBe(1)
    expect(exportsAll(parse('x.ts', "export * from './y.js'"))).toBe(true)
    expect(exportsAll(parse('x.ts', "export * as y from './y.js'"))).toBe(true)
    expect(exportsDefault(parse('x.ts', 'export default 1'))).toBe(true)
    expect(exportsDefault(parse('x.ts', 'export default class {}'))).toBe(true)
    expect(exportsDefault(parse('x.ts', "export { a as default } from './a.js'"))).toBe(true)
    expect(hasRuntimeCode(parse('x.ts', 'export const a = 1'))).toBe(true)
    expect(hasRuntimeCode(parse('x.ts', "import { a } from 'a'"))).toBe(true)
  })
})

describe('the source code', () => {
  it(`has no file over ${MAX_FILE_LINES} lines`, () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > MAX_FILE_LINES)
    expect(long.map(({ path }) => path)).toEqual([])
  })

  it(`has no function over ${MAX_FUNCTION_LINES} lines`, () => {
    expect(sources.flatMap(({ path, tree }) => longFunctions(path, tree))).toEqual([])
  })

  it(`has no file that imports more than ${MAX_IMPORTS} others`, () => {
    const many = sources.filter(({ tree }) => countImports(tree) > MAX_IMPORTS)
    expect(many.map(({ path }) => path)).toEqual([])
  })

  it('has neither default exports nor `export *`, except in the main entry points', () => {
    const offenders = sources.filter(({ tree }) => exportsAll(tree) || exportsDefault(tree))
    // The names of the types that they pass on are listed in `contracts/public.ts` and `contracts/for-plugins.ts`.
    expect(offenders.map(({ path }) => path)).toEqual(['index.ts', 'plugin/index.ts'])
  })

  it('has an index.ts only for entry points and for the list of features', () => {
    const indexes = sources.map(({ path }) => path).filter((path) => /(^|\/)index\.ts$/.test(path))
    expect(indexes).toEqual([
      'features/index.ts',
      'index.ts',
      'integrations/api-keys/index.ts',
      'integrations/jobs/index.ts',
      'integrations/jwt/index.ts',
      'integrations/otel/index.ts',
      'integrations/postgres/index.ts',
      'integrations/redis/index.ts',
      'integrations/sessions/index.ts',
      'integrations/typeorm/index.ts',
      'integrations/vite/index.ts',
      'plugin/index.ts',
      'testing/index.ts',
    ])
  })

  it('contains only types in `contracts/`', () => {
    const contracts = sources.filter(({ path }) => path.startsWith('contracts/'))
    expect(contracts.length).toBeGreaterThan(5)
    const offenders = contracts.filter(({ tree }) => hasRuntimeCode(tree))
    expect(offenders.map(({ path }) => path)).toEqual([])
  })

  it('names files in kebab-case', () => {
    const pattern = /^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/
    expect(sources.map(({ path }) => path).filter((path) => !pattern.test(path))).toEqual([])
  })
})
