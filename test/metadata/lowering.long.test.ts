import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { transformSync as swc } from '@swc/core'
import * as blazon from 'blazon'
import { TestApp } from 'blazon/testing'
import { transformSync as esbuild } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const require = createRequire(import.meta.url)

// Compilers differ in these cases: replaced methods and classes, inherited metadata, and when the class exists.
const SOURCE = `
import { Auth, Body, Can, Controller, Get, HttpCode, Inject, Post, Public, get, post } from 'blazon'
const isStandard = (context: any) => typeof context === 'object' && context !== null && 'kind' in context
/** A decorator of another package that replaces the method. */
function Wrapped(...args: any[]): any {
  const wrap = (method: any) => function (this: any, ...rest: any[]) { return 'wrapped ' + method.apply(this, rest) }
  if (isStandard(args[1])) return wrap(args[0])
  args[2].value = wrap(args[2].value)
}
/** A class decorator of another package that returns a subclass. */
function Subclassed(target: any, _context?: any): any {
  return class extends target { static isSubclassed = true }
}
export class Base {
  @Auth() @Get('inherited') inherited() { return 'inherited ' + this.constructor.name }
  @Can('write') @Post('overridden') overridden() { return 'base' }
}
export class Unrelated { @Get('unrelated') unrelated() { return 'never listed' } }
@Controller('things')
export class Things extends Base {
  @Inject('name') name: any
  @Get('plain') plain() { return 'plain ' + this.name }
  @Get('outer') @Wrapped @Auth() inner() { return 'between' }
  @Wrapped @Get('outermost') @Auth() outermost() { return 'outermost' }
  @Body({ type: 'object' }) @Post('body') body(req: any) { return req.body }
  override overridden() { return 'override' }
}
@Auth() @Subclassed @Controller('sub')
export class Sub { @Public() @Get() open() { return 'open' } @Get('closed') closed() { return 'closed' } }
const PATH = '/inherited'
export class WithFields { inherited = get(PATH, () => 'inherited ' + this.constructor.name) }
@Auth() @Subclassed @Controller('fields')
export class Fields extends WithFields {
  @Inject('name') name: any
  #calls = 0
  @Public() @HttpCode(202)
  decorated = post('/', { summary: 'Decorated' }, () => 'decorated ' + ++this.#calls)
  plain = get('plain', {}, function (this: Fields) { return 'plain ' + this.name })
}
`

interface Compiler {
  readonly name: string
  readonly compile: (source: string) => string
}

function typescript(
  name: string,
  path: string,
  options: { readonly experimentalDecorators: boolean; readonly target?: 'ES2017' },
): Compiler {
  return {
    name,
    compile(source) {
      const { ModuleKind, ScriptTarget, transpileModule } = require(path)
      const compilerOptions = {
        ...options,
        module: ModuleKind.CommonJS,
        target: ScriptTarget[options.target ?? 'ES2022'],
      }
      return transpileModule(source, { compilerOptions }).outputText
    },
  }
}

/** TypeScript 7 has no API: its compiler is a program that reads and writes files. */
function nativeTypescript(name: string, experimentalDecorators: boolean): Compiler {
  return {
    name,
    compile(source) {
      const folder = mkdtempSync(join(tmpdir(), 'lowering-'))
      const input = join(folder, 'input.ts')
      writeFileSync(input, source)
      const flags = ['--module', 'commonjs', '--target', 'es2022', '--noCheck', '--noResolve']
      const dialect = ['--experimentalDecorators', String(experimentalDecorators)]
      const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc')
      spawnSync(process.execPath, [tsc, ...flags, ...dialect, '--types', '', input], {
        cwd: folder,
      })
      const code = readFileSync(join(folder, 'input.js'), 'utf8')
      rmSync(folder, { recursive: true })
      return code
    },
  }
}

function swcCompiler(name: string, transform: object): Compiler {
  const parser = { syntax: 'typescript', decorators: true } as const
  const options = {
    jsc: { parser, target: 'es2022', transform },
    module: { type: 'commonjs' },
  } as const
  return { name, compile: (source) => swc(source, options).code }
}

function esbuildCompiler(
  name: string,
  experimentalDecorators: boolean,
  options: { readonly target: string; readonly minifyWhitespace?: boolean } = { target: 'es2022' },
): Compiler {
  const tsconfigRaw = { compilerOptions: { experimentalDecorators } }
  return {
    name,
    compile: (source) =>
      esbuild(source, { loader: 'ts', format: 'cjs', ...options, tsconfigRaw }).code,
  }
}

/** Runs CommonJS against the package under test. */
function evaluate(code: string): Record<string, blazon.Class> {
  const module = { exports: {} }
  new Function('require', 'module', 'exports', code)(() => blazon, module, module.exports)
  return module.exports
}

const compilers: Compiler[] = [
  typescript('TypeScript 5 standard', 'typescript-5', { experimentalDecorators: false }),
  typescript('TypeScript 5 legacy', 'typescript-5', { experimentalDecorators: true }),
  typescript('TypeScript 6 standard', 'typescript-6', { experimentalDecorators: false }),
  typescript('TypeScript 6 legacy', 'typescript-6', { experimentalDecorators: true }),
  // Fields are assigned in the constructor.
  typescript('TypeScript 5 standard, ES2017', 'typescript-5', {
    experimentalDecorators: false,
    target: 'ES2017',
  }),
  typescript('TypeScript 5 legacy, ES2017', 'typescript-5', {
    experimentalDecorators: true,
    target: 'ES2017',
  }),
  nativeTypescript('TypeScript 7 standard', false),
  nativeTypescript('TypeScript 7 legacy', true),
  esbuildCompiler('esbuild standard', false),
  esbuildCompiler('esbuild legacy', true),
  ...['es2017', 'es2022'].flatMap((target) =>
    [false, true].map((isLegacy) =>
      esbuildCompiler(`esbuild ${isLegacy ? 'legacy' : 'standard'}, small, ${target}`, isLegacy, {
        target,
        minifyWhitespace: true,
      }),
    ),
  ),
  swcCompiler('swc standard 2022-03', { decoratorVersion: '2022-03' }),
  swcCompiler('swc standard 2023-11', { decoratorVersion: '2023-11' }),
  swcCompiler('swc legacy', { legacyDecorator: true }),
]

describe.each(compilers)('decorators compiled by $name', ({ compile }) => {
  let app: TestApp

  beforeAll(async () => {
    const { Things, Sub, Fields } = evaluate(compile(SOURCE)) as Record<string, blazon.Class>
    app = await TestApp.create({
      controllers: [Things, Sub, Fields] as blazon.Class[],
      providers: [{ token: 'name', useValue: 'injected' }],
      auth: {
        guard: {
          canActivate(req) {
            req.user = { roles: String(req.headers.roles).split(',') }
            return req.headers.authorization === 'Bearer ok'
          },
        },
      },
    })
  })

  afterAll(() => app.close())

  const get = (path: string, token = '') =>
    app.request().get(path).set('authorization', `Bearer ${token}`)

  it('register all routes of a class, but no routes of other classes', () => {
    const rows = app.getRouteTable().map(({ method, path }) => `${method} ${path}`)
    expect(rows.sort()).toEqual([
      'GET /fields/inherited',
      'GET /fields/plain',
      'GET /sub',
      'GET /sub/closed',
      'GET /things/inherited',
      'GET /things/outer',
      'GET /things/outermost',
      'GET /things/plain',
      'POST /fields',
      'POST /things/body',
      'POST /things/overridden',
    ])
  })

  it('inject a provider into a field', async () => {
    const { body } = await get('/things/plain')
    expect(body.data).toBe('plain injected')
  })

  it.each(['/things/outer', '/things/outermost'])(
    'keep the guard of a method that another decorator has replaced: %s',
    async (path) => {
      expect((await get(path)).status).toBe(401)
      expect((await get(path, 'ok')).body.data).toMatch(/^wrapped /)
    },
  )

  it('work on fields that are routes', async () => {
    const decorated = await app.request().post('/fields')
    expect([decorated.status, decorated.body.data]).toEqual([202, 'decorated 1'])
    expect((await get('/fields/plain')).status).toBe(401)
    expect((await get('/fields/plain', 'ok')).body.data).toBe('plain injected')
    expect((await get('/fields/inherited', 'ok')).body.data).toMatch(/^inherited /)
  })

  it('keep the guard of an inherited method', async () => {
    expect((await get('/things/inherited')).status).toBe(401)
    expect((await get('/things/inherited', 'ok')).body.data).toBe('inherited Things')
  })

  it('keep the route and abilities of a method that is overridden without decorators', async () => {
    const request = () => app.request().post('/things/overridden').set('authorization', 'Bearer ok')
    expect((await request().set('roles', 'read')).status).toBe(403)
    expect((await request().set('roles', 'write')).body.data).toBe('override')
  })

  it('keep the guard of a class that another decorator has replaced', async () => {
    expect((await get('/sub')).body.data).toBe('open')
    expect((await get('/sub/closed')).status).toBe(401)
  })
})
