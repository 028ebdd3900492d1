import ts from 'typescript-5'
import { expect, it } from 'vitest'
import { readSources } from '../../house/sources.js'

const sources = readSources()

/** Files that import a matching module when they are loaded. `import()` and imports of types do not count. */
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

it('only the memory store imports lru-cache, and only import() loads the memory store', () => {
  expect(loadersOf(/^lru-cache$/)).toEqual(['features/cache/memory-store.ts'])
  expect(loadersOf(/\/memory-store\.js$/)).toEqual([])
  expect(loadersOf(/\/memory-cache\.js$/).length).toBeGreaterThan(0)
})
