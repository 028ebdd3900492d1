import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Options, transformSync as swc } from '@swc/core'
import { transformSync as esbuild } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../root.js'
import { Project } from './project.js'

// What the findings of the doctor say about compilers, asked of the compilers themselves.

const SOURCE = `import { Controller, Get } from 'blazon'
@Controller('users')
export class UsersController {
  name!: string
  @Get() list() { return this.name }
}
`

const TSC = {
  5: 'typescript-5/bin/tsc',
  6: 'typescript-6/bin/tsc',
  7: 'typescript/bin/tsc',
}

function compile(
  version: keyof typeof TSC,
  compilerOptions: object,
): { code: string; errors: string } {
  const own = new Project([])
  onTestFinished(() => own.remove())
  const options = {
    skipLibCheck: true,
    noCheck: true,
    types: [],
    outDir: 'dist',
    ...compilerOptions,
  }
  own.write({
    'package.json': { type: 'module' },
    'tsconfig.json': { compilerOptions: options, files: ['users.ts'] },
    'users.ts': SOURCE,
  })
  own.install('@types/node', join(root, 'node_modules/@types/node'))
  const args = [join(root, 'node_modules', TSC[version]), '--pretty', 'false']
  const { stdout } = spawnSync(process.execPath, args, { cwd: own.folder, encoding: 'utf8' })
  return { code: own.has('dist/users.js') ? own.read('dist/users.js') : '', errors: stdout }
}

const DECORATOR = /^\s*@Controller/m

describe.each([5, 6, 7] as const)('TypeScript %i', (version) => {
  it('leaves decorators in its output for esnext, which only TypeScript 5 has by default', () => {
    const codeFor = (options: object) => compile(version, { module: 'nodenext', ...options }).code
    expect(codeFor({ target: 'esnext' })).toMatch(DECORATOR)
    expect(DECORATOR.test(codeFor({}))).toBe(version === 5)

    expect(codeFor({ target: 'es2022' })).not.toMatch(DECORATOR)
  })

  it('treats fields in another way before es2022', () => {
    const options = { module: 'nodenext', experimentalDecorators: true }
    expect(compile(version, { ...options, target: 'es2022' }).code).toMatch(/^\s*name;/m)
    expect(compile(version, { ...options, target: 'es2021' }).code).not.toMatch(/^\s*name;/m)
  })
})

describe('TypeScript 5', () => {
  it('finds no package by the default resolution of esnext, and finds it with nodenext', () => {
    const options = { target: 'es2022', strict: true, noCheck: false }
    expect(compile(5, { ...options, module: 'esnext' }).errors).toContain(
      "Cannot find module 'blazon'",
    )
    expect(compile(5, { ...options, module: 'nodenext' }).errors).toBe('')
    const bundler = { module: 'esnext', moduleResolution: 'bundler' }
    expect(compile(5, { ...options, ...bundler }).errors).toBe('')
  })

  it('makes functions of classes without a target', () => {
    expect(compile(5, { module: 'preserve' }).code).not.toMatch(/=\s*class\b/)
    expect(compile(5, { module: 'preserve', target: 'es2022' }).code).toMatch(/=\s*class\b/)
  })
})

describe('esbuild', () => {
  const run = (options: object) => esbuild(SOURCE, { loader: 'ts', ...options }).code

  it('leaves standard decorators in its output, unless it has a target', () => {
    expect(run({})).toMatch(DECORATOR)
    expect(run({ target: 'node20' })).not.toMatch(DECORATOR)
  })

  it('shortens names, unless it is told to keep them, and emits no metadata', () => {
    const tsconfigRaw = {
      compilerOptions: { experimentalDecorators: true, emitDecoratorMetadata: true },
    }
    expect(run({ tsconfigRaw })).not.toContain('design:')
    const legacy = { tsconfigRaw, minify: true, format: 'cjs' }
    expect(run({ ...legacy, keepNames: true })).toContain('"UsersController")')
    expect(run(legacy)).not.toContain('"UsersController")')
  })
})

describe('swc', () => {
  const run = (jsc: Options['jsc']) =>
    swc(SOURCE, { jsc: { target: 'es2022', ...jsc }, swcrc: false }).code
  const parser = { syntax: 'typescript', decorators: true } as const

  it('refuses decorators without decorators: true', () => {
    expect(() => run({ parser: { syntax: 'typescript' } })).toThrow()
  })

  it('compiles an older version of the proposal by default', () => {
    expect(run({ parser })).not.toBe(run({ parser, transform: { decoratorVersion: '2022-03' } }))
  })

  it('shortens names of classes, unless it is told to keep them', () => {
    const inner = `export function make() {\n${SOURCE.replace(/^import.*$/m, '').replace('export ', '')}\nreturn UsersController }`
    const minify = (mangle: object | true) =>
      swc(inner, {
        jsc: { parser, target: 'es2022', transform: { legacyDecorator: true }, minify: { mangle } },
        swcrc: false,
      }).code
    expect(minify(true)).not.toContain('class UsersController')
    expect(minify({ keep_classnames: true })).toContain('class UsersController')
  })
})
