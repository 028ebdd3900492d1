import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../root.js'
import { AddedTo, APP, type Files, HELLO, PROJECT } from './add-run.js'

const KINDS = ['controller', 'module', 'plugin', 'guard']

/** The files of a project in another style. */
function restyled(change: (text: string) => string): Files {
  return Object.fromEntries(Object.entries(PROJECT).map(([path, text]) => [path, change(text)]))
}

const semicolons = (text: string) => text.replace(/^(?! *@).*(?:['")]|return \{\})$/gm, '$&;')

describe('the code', () => {
  it.each([
    {
      name: 'single quotes',
      change: (text: string) => text,
      javascript: { quoteStyle: 'single', semicolons: 'asNeeded' },
      indentStyle: 'space',
    },
    {
      name: 'double quotes, semicolons',
      change: (text: string) => semicolons(text.replaceAll("'", '"')),
      javascript: { quoteStyle: 'double', semicolons: 'always' },
      indentStyle: 'space',
    },
    {
      name: 'tabs',
      change: (text: string) => text.replaceAll('  ', '\t'),
      javascript: { quoteStyle: 'single', semicolons: 'asNeeded' },
      indentStyle: 'tab',
    },
    {
      name: 'four blanks',
      change: (text: string) => text.replaceAll('  ', '    '),
      javascript: { quoteStyle: 'single', semicolons: 'asNeeded' },
      indentStyle: 'space',
      indentWidth: 4,
    },
  ])(
    'is formatted as that of the project: $name',
    async ({ change, name: _, javascript, ...formatter }) => {
      const project = new AddedTo(restyled(change))
      for (const kind of KINDS)
        expect(await project.add(`${kind} ${kind}-one`)).toMatchObject({ status: 0 })
      // The line ends are checked below, and biome would look for a file that git ignores.
      const config = {
        root: true,
        formatter: { lineWidth: 100, ...formatter },
        javascript: { formatter: javascript },
      }
      writeFileSync(join(project.folder, 'biome.json'), JSON.stringify(config))
      const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
      // Fails, with the differences, when a file would be formatted in another way.
      execFileSync(process.execPath, [biome, 'format', 'src', 'test'], { cwd: project.folder })
      expect(Object.keys(project.files()).length).toBeGreaterThan(10)
    },
  )

  it('has the line ends of the project', async () => {
    const project = new AddedTo(restyled((text) => text.replaceAll('\n', '\r\n')))
    await project.add('controller orders')
    for (const text of Object.values(project.files())) expect(text).not.toMatch(/[^\r]\n/)
    expect((await project.add('controller orders')).stdout).toContain('Nothing to do.')
  })

  it.each([
    ['.js', "\\.js'"],
    ['.ts', "\\.ts'"],
    ['', "'"],
  ])('has the imports of the project: %j', async (extension, end) => {
    const project = new AddedTo(restyled((text) => text.replace(".js'", `${extension}'`)))
    await project.add('controller orders')
    for (const path of ['src/app.ts', 'test/orders-controller.test.ts']) {
      expect(project.read(path)).toMatch(new RegExp(`orders-controller${end}$`, 'm'))
    }
  })
})

describe('the files', () => {
  it.each([
    ['hello-controller', 'order-items-guard'],
    ['hello.controller', 'order-items.guard'],
    ['hello_controller', 'order_items_guard'],
    ['HelloController', 'OrderItemsGuard'],
    ['helloController', 'orderItemsGuard'],
    ['hello', 'order-items-guard'],
    ['controller', 'order-items-guard'],
  ])('are named as %s', async (theirs, ours) => {
    const project = new AddedTo({ 'src/app.ts': APP, [`src/${theirs}.ts`]: HELLO })
    await project.add('guard OrderItems')
    const paths = Object.keys(project.files())
    expect(paths).toEqual(expect.arrayContaining([`src/${ours}.ts`, `test/${ours}.test.ts`]))
  })

  it.each([
    [
      'beside the others',
      { 'src/http/hello-controller.ts': HELLO },
      'src/http/orders-controller.ts',
    ],
    [
      'in a folder each',
      { 'src/hello/hello-controller.ts': HELLO },
      'src/orders/orders-controller.ts',
    ],
    [
      'beside the application, if the others are in several folders',
      { 'src/a/hello-controller.ts': HELLO, 'src/b/other-controller.ts': HELLO },
      'src/orders-controller.ts',
    ],
    ['beside the application, if there are no others', {}, 'src/orders-controller.ts'],
  ])('are %s', async (_, files: Files, path) => {
    const project = new AddedTo({ 'src/app.ts': APP, ...files })
    await project.add('controller orders')
    expect(Object.keys(project.files())).toContain(path)
  })

  it('are in src without an application, or in the root', async () => {
    const project = new AddedTo({ 'src/x.ts': '' })
    await project.add('guard token')
    expect(Object.keys(project.files())).toContain('src/token-guard.ts')
    const flat = new AddedTo({ 'x.ts': '' })
    await flat.add('guard token')
    expect(Object.keys(flat.files())).toContain('token-guard.ts')
  })
})

describe('the test', () => {
  it.each([
    ['test/hello.test.ts', 'test/orders-controller.test.ts'],
    ['tests/deep/hello.spec.ts', 'tests/orders-controller.spec.ts'],
    ['src/hello-controller.test.ts', 'src/orders-controller.test.ts'],
    ['src/hello-controller.spec.ts', 'src/orders-controller.spec.ts'],
  ])('is where %s is', async (theirs, ours) => {
    const project = new AddedTo({ ...PROJECT, [theirs]: '' })
    await project.add('controller orders')
    const from = ours.startsWith('src/') ? './' : '../src/'
    expect(project.read(ours)).toContain(`from '${from}orders-controller.js'`)
  })

  it.each([
    ['{"scripts":{"test":"vitest run"}}', 'vitest'],
    ['{"devDependencies":{"vitest":"^4"}}', 'vitest'],
    ['{"scripts":{"test":"node --test"}}', 'node:test'],
    ['{}', 'node:test'],
    ['{"scripts":null,"devDependencies":[]}', 'node:test'],
  ])('of %s runs by %s', async (manifest, runner) => {
    const project = new AddedTo({ ...PROJECT, 'package.json': manifest })
    for (const kind of KINDS) {
      await project.add(`${kind} ${kind}-one`)
      expect(project.read(`test/${kind}-one-${kind}.test.ts`)).toContain(`from '${runner}'`)
    }
  })
})
