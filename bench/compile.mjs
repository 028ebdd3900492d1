// Compiles what is TypeScript, apart from candidates.mjs: the page is checked where no package of the bench is installed.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import ts from 'typescript-5'
import { transformWithEsbuild } from 'vite'

const here = import.meta.dirname

/** Peers whose decorators need `emitDecoratorMetadata`, and what they share. */
const DECORATED = ['nest', 'routing-controllers', 'order-dto']

/** Compiles the candidates that are TypeScript, so that no loader runs inside the measured process. */
export async function compileCandidates() {
  await compile(join(here, 'candidates', 'blazon.ts'))
  for (const name of DECORATED) compileDecorated(name)
}

/** Compiles a peer as its users do, with the types of its parameters written down for it. Returns the file. */
export function compileDecorated(name, { from = 'decorated', to = name } = {}) {
  const source = readFileSync(join(here, 'peers', from, `${name}.ts`), 'utf8')
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ES2022,
      experimentalDecorators: true,
      emitDecoratorMetadata: true,
    },
  })
  const folder = join(here, 'peers', '.build')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${to}.mjs`)
  writeFileSync(file, outputText)
  return file
}

/** Compiles a file of a folder of this one; answers with the path of the result. */
export async function compile(file) {
  const { code } = await transformWithEsbuild(readFileSync(file, 'utf8'), file, {
    target: 'es2022',
    sourcemap: false,
  })
  // One folder deep, like its source, so that its relative imports hold … beside the plain candidates.
  const target = join(here, '.build', `${basename(file, '.ts')}.mjs`)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, code.replaceAll(/(?<=['"])\.\/(?=[\w-]+\.mjs['"])/g, '../candidates/'))
  return target
}
