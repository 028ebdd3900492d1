import ts from 'typescript-5'
import { expect, it } from 'vitest'
import { readSources } from '../../house/sources.js'

const sources = readSources()

/** Files that import something when they are loaded; what is imported by `import()` or as a type is not. */
function loadersOf(pattern: RegExp): string[] {
  return sources
    .filter(({ tree }) =>
      tree.statements.some(
        (node) =>
          ts.isImportDeclaration(node) &&
          node.importClause?.isTypeOnly !== true &&
          pattern.test((node.moduleSpecifier as ts.StringLiteral).text),
      ),
    )
    .map(({ path }) => path)
}

it('lru-cache is loaded by nobody who does not keep anything in memory', () => {
  expect(loadersOf(/^lru-cache$/)).toEqual(['features/cache/memory-store.ts'])
  expect(loadersOf(/\/memory-store\.js$/)).toEqual([])
  expect(loadersOf(/\/memory-cache\.js$/).length).toBeGreaterThan(0)
})
