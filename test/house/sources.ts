import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5'
import { root } from '../root.js'

/** The rooms of `src/` by floor. A room imports from lower floors only; ARCHITECTURE.md shows the same table. */
export const FLOORS = [
  ['contracts', 'errors'],
  ['metadata', 'di', 'http', 'schema'],
  ['model', 'step'],
  ['routing', 'pipeline', 'openapi', 'features/*'],
  ['features/index'],
  ['app'],
  ['index', 'plugin', 'testing', 'cli', 'integrations/*'],
]

/** A file below `src/`. */
export interface Source {
  /** Relative to `src/`, with forward slashes. */
  readonly path: string
  readonly text: string
  readonly tree: ts.SourceFile
}

let sources: readonly Source[] | undefined

/** Every file of `src/`. The test files of a process share the trees, because TypeScript takes seconds to parse them. */
export function readSources(): readonly Source[] {
  sources ??= parseSources()
  return sources
}

function parseSources(): Source[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, 'src', path), 'utf8')
      return { path, text, tree: parse(path, text) }
    })
}

export function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
}

/** Every module that a file imports or exports from, types and `import()` included. */
export function specifiersOf(tree: ts.SourceFile): string[] {
  return walk(tree).flatMap((node) => {
    const specifier = specifierOf(node)
    return specifier !== undefined && ts.isStringLiteral(specifier) ? [specifier.text] : []
  })
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node)) {
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  }
  const isImportCall =
    ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
  return isImportCall ? node.arguments[0] : undefined
}

const nodes = new WeakMap<ts.Node, readonly ts.Node[]>()

/** Every node of a tree. They are kept, because many rules read every file. */
export function walk(tree: ts.Node): readonly ts.Node[] {
  const known = nodes.get(tree)
  if (known !== undefined) return known
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  nodes.set(tree, found)
  return found
}
