import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'

const FILE = join(root, 'test/types/both/inferred.ts')

const isBuilt = existsSync(join(root, 'dist/index.js'))
if (!isBuilt) console.warn('Skipped: dist/ is missing. `npm run build` makes it.')

/** Compiles a file as a project with `declaration` does, such as one of a monorepo. Returns its declarations. */
function declarationsOf(file: string): string {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
    rootDir: root,
    strict: true,
    skipLibCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
  }
  const program = ts.createProgram([file], options)
  const problems = ts.getPreEmitDiagnostics(program)
  expect(problems.map(({ messageText }) => messageText)).toEqual([])
  let text = ''
  program.emit(program.getSourceFile(file), (_, written) => {
    text = written
  })
  return text
}

describe.skipIf(!isBuilt)('declarations that a compiler infers', () => {
  // A type that no imported door exports would be imported by a path within the package, which other projects do not have.
  it('import the types of the package only from its public entry points', () => {
    const text = declarationsOf(FILE)
    const imported = text.matchAll(/import\("([^"]+)"/g)
    const names = [...new Set([...imported].map(([, name]) => name))]
    expect(names).toContain('blazon')
    expect(names.filter((name) => !/^(?:blazon(?:\/\w+)?|zod)$/.test(name ?? ''))).toEqual([])
  })
})
