import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blazon } from 'blazon/vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../../root.js'

const DECORATED = `import { Controller, Get, Inject, type Request } from 'blazon'

@Controller('things')
export class Things {
  @Inject('name') name: any
  @Get()
  list(req: Request) { return 1 }
}
`

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'blazon-vite-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  tsconfig('standard', { target: 'es2022' })
  tsconfig('assigning', {})
  tsconfig('legacy', { experimentalDecorators: true })
  tsconfig('inherited', null)
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function tsconfig(name: string, compilerOptions: object | null) {
  mkdirSync(join(folder, name, 'src'), { recursive: true })
  // The file has a comment and `extends`, so it cannot be read with JSON.parse.
  const own = compilerOptions === null ? '"extends": "../legacy/tsconfig.json",' : ''
  const text = `{ // options\n ${own} "compilerOptions": ${JSON.stringify(compilerOptions ?? {})} }`
  writeFileSync(join(folder, name, 'tsconfig.json'), text)
}

/** Compiles a module with the plugin. The folder of the module decides which `tsconfig.json` applies. */
function lower(code: string, id = 'standard/src/things.ts') {
  const plugin = blazon()
  plugin.configResolved({ root: folder })
  return plugin.transform.handler(code, join(folder, id))
}

describe('a module with standard decorators', () => {
  it('is compiled to code that runs without decorator syntax', async () => {
    const { code } = (await lower(DECORATED)) as { code: string }
    expect(code).not.toMatch(/^\s*@/m)
    const calls: string[] = []
    const note = (name: string) => () => (_: unknown, context: DecoratorContext) => {
      calls.push(`${name} ${context.kind} ${String(context.name)} ${typeof context.metadata}`)
    }
    const names = { Controller: note('Controller'), Get: note('Get'), Inject: note('Inject') }
    const body = code.replace(/^import.*$/m, '').replace(/^export /m, '')
    new Function(...Object.keys(names), body)(...Object.values(names))
    expect(calls).toEqual([
      'Get method list object',
      'Inject field name object',
      'Controller class Things object',
    ])
  })

  it('keeps a decorated field if fields are compiled to assignments', async () => {
    const { code } = (await lower(DECORATED, 'assigning/src/things.ts')) as { code: string }
    expect(code).toMatch(/__decorateElement\(_init, 5, "name"/)
  })

  it('has a source map to its original lines', async () => {
    const lowered = (await lower(DECORATED)) as { code: string; map: object }
    const map = new SourceMap(lowered.map as SourceMapPayload)
    const lines = lowered.code.split('\n')
    const line = lines.findIndex((text) => text.includes('list(req)'))
    const column = (lines[line] as string).indexOf('list')
    expect(map.findEntry(line, column)).toMatchObject({ originalLine: 6, originalColumn: 2 })
  })

  it.each([
    ['js', '@dec class A {}\nfunction dec() {}'],
    ['mts', 'export default @dec class {}'],
    ['ts', "@(pick('a')) class A {}"],
    ['ts', 'class A { @ spaced\n x = 1 }'],
    ['ts', '/** Of note. */ @dec class A {}'],
    ['ts', '/**\n * Of note.\n */ @dec class A {}'],
    ['ts', 'const a = `\n* text`; @dec class A {}'],
    ['ts', 'class A { @größe x = 1 }'],
    ['tsx', '@dec class A { render() { return <b>hello</b> } }'],
  ])('is recognized in .%s files: %s', async (extension, code) => {
    const lowered = await lower(code, `standard/src/a.${extension}`)
    expect(lowered?.code).toContain('__decoratorStart')
    if (extension === 'tsx') expect(lowered?.code).toContain('<b>hello</b>')
  })
})

describe('the plugin', () => {
  it('runs before the plugins of Vite, for modules with an @', () => {
    const { name, enforce, transform } = blazon()
    expect([name, enforce, transform.filter.code]).toEqual(['blazon', 'pre', '@'])
  })

  it('compiles a module whose path has a query, also without a configuration', async () => {
    const id = join(folder, 'standard/src/a.ts?v=1')
    const lowered = await blazon().transform.handler('@dec class A {}', id)
    expect(lowered?.code).toContain('__decoratorStart')
  })
})

describe('a module that the plugin does not compile', () => {
  it.each([
    ['without decorators', 'export class A { readonly mail = "a@b.example" }', 'src/a.ts'],
    ['without a class', 'export const at = "@Controller()"', 'src/a.ts'],
    ['with tags in comments', '/**\n * @param x\n */\nclass A {} // @todo', 'src/a.ts'],
    ['with text that looks decorated', 'class A { text = `\n@Controller()\n` }', 'src/a.ts'],
    ['of a package', DECORATED, 'node_modules/other/a.ts'],
    ['that is a stylesheet', DECORATED, 'src/a.css'],
    ['that is JSON', DECORATED, 'src/a.json'],
  ])('stays unchanged if it is a module %s', async (_, code, id) => {
    expect(await lower(code, `standard/${id}`)).toBeNull()
  })

  it.each(['legacy', 'inherited'])(
    'is left to Vite under experimentalDecorators (%s)',
    async (name) => {
      const code = DECORATED.replace('(req:', '(@Req() req:')
      expect(await lower(code, `${name}/src/things.ts`)).toBeNull()
    },
  )

  it('stays unchanged if another plugin has made it', async () => {
    const plugin = blazon()
    plugin.configResolved({ root: folder })
    expect(await plugin.transform.handler(DECORATED, '\0virtual.ts')).toBeNull()
  })

  it('is not passed to the plugin if Vite applies the filters', () => {
    const { include, exclude } = blazon().transform.filter.id
    const asked = (id: string) => include.test(id) && !exclude.test(id)
    expect(['/a/b.ts', '/a/b.mjs', '/a/b.tsx?v=1'].filter(asked)).toHaveLength(3)
    expect(['/a/node_modules/b.ts', '/a/b.css', '/a/b.json'].filter(asked)).toEqual([])
    expect(['C:\\node_modules\\b.ts', '/a/b.ts.map', '/a/bts'].filter(asked)).toEqual([])
    expect(['/a/b.cjs', '/a/b.jsx', '/node_modules.ts'].filter(asked)).toHaveLength(3)
  })
})

describe('a parameter decorator without experimentalDecorators', () => {
  it('is refused with the name of the missing option', async () => {
    const code = DECORATED.replace('(req:', '(@Req() req:')
    await expect(lower(code)).rejects.toThrow(/experimental decorators/i)
  })
})

describe('the plugin in a project without a package', () => {
  /** Compiles a module in a project outside the repository, with empty stand-ins for the named packages. */
  function importFrom(
    name: string,
    packages: readonly string[],
    versions: Record<string, string> = {},
  ) {
    const project = join(folder, name)
    mkdirSync(join(project, 'node_modules'), { recursive: true })
    for (const each of packages) {
      const manifest = { name: each, version: versions[each] ?? '8.0.0', main: 'index.js' }
      mkdirSync(join(project, 'node_modules', each))
      writeFileSync(join(project, 'node_modules', each, 'package.json'), JSON.stringify(manifest))
      writeFileSync(join(project, 'node_modules', each, 'index.js'), '')
    }
    const plugin = blazon()
    plugin.configResolved({ root: project })
    return plugin.transform.handler(DECORATED, join(project, 'a.ts'))
  }

  it('reports a Vite without transformWithEsbuild, with the command that installs Vite 8', async () => {
    // Node finds the project's own Vite first. The stand-in is a Vite without the function.
    await expect(importFrom('old', ['vite', 'esbuild'])).rejects.toThrow(
      /\[E_PEER_MISSING\] blazon\/vite[\s\S]*npm install --save-dev vite@8/,
    )
  })

  it.each([
    ['vite', '5.4.21', '6.0.0'],
    ['esbuild', '0.21.4', '0.21.5'],
  ])('reports a version of %s that is too old', async (name, version, floor) => {
    const versions = { [name]: version }
    await expect(importFrom(`too-old-${name}`, ['vite', 'esbuild'], versions)).rejects.toThrow(
      `of ${name} is ${version}. The oldest supported version is ${floor}.`,
    )
  })

  it('reports a missing esbuild, with the command that installs it', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'blazon-vite-8-'))
    expect(() => createRequire(join(outside, 'x.js')).resolve('esbuild')).toThrow()
    mkdirSync(join(outside, 'node_modules/vite'), { recursive: true })
    writeFileSync(join(outside, 'node_modules/vite/package.json'), '{"main":"index.js"}')
    writeFileSync(join(outside, 'node_modules/vite/index.js'), '')
    const plugin = blazon()
    plugin.configResolved({ root: outside })
    await expect(plugin.transform.handler(DECORATED, join(outside, 'a.ts'))).rejects.toThrow(
      /esbuild is not installed[\s\S]*npm install --save-dev esbuild/,
    )
    rmSync(outside, { recursive: true })
  })
})
