import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { walk } from '../house/sources.js'
import { AddedTo, APP, type Files, HELLO, PROJECT } from './add-run.js'

/** The names in the lists of a property, as the compiler reads them. */
function listed(text: string, key: string): string[][] {
  const tree = ts.createSourceFile('x.ts', text, ts.ScriptTarget.ESNext, true)
  return [...walk(tree)].flatMap((node) => {
    if (!ts.isPropertyAssignment(node) || !ts.isIdentifier(node.name) || node.name.text !== key)
      return []
    const list = ts.isAsExpression(node.initializer)
      ? node.initializer.expression
      : node.initializer
    if (ts.isArrayLiteralExpression(list)) return [list.elements.map((each) => each.getText())]
    return ts.isCallExpression(list) ? [list.arguments.map((each) => each.getText())] : []
  })
}

/** The mistakes of syntax. */
function mistakes(text: string): unknown[] {
  const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true })
  return (diagnostics ?? []).map(({ messageText }) => messageText)
}

const HEAD = "import { App, defineControllers } from 'blazon'\nimport { A, B } from './a.js'\n\n"

describe('the list of an application', () => {
  it.each([
    ['new App({ controllers: [] })', 'new App({ controllers: [X] })'],
    ['new App({ controllers: [A, B] })', 'new App({ controllers: [A, B, X] })'],
    ['new App({ controllers: [A, B,] })', 'new App({ controllers: [A, B, X,] })'],
    [
      'new App({ controllers: [\n  A,\n  B,\n] })',
      'new App({ controllers: [\n  A,\n  B,\n  X,\n] })',
    ],
    [
      'new App({ controllers: [\n  A,\n  B\n] })',
      'new App({ controllers: [\n  A,\n  B,\n  X\n] })',
    ],
    [
      'new App({ controllers: [\n  A, // [one]\n  B, // the } other\n  // end\n] })',
      'new App({ controllers: [\n  A, // [one]\n  B, // the } other\n  X,\n  // end\n] })',
    ],
    [
      'new App({ controllers: [\n  A, // a\n  B // b\n] })',
      'new App({ controllers: [\n  A, // a\n  B, // b\n  X\n] })',
    ],
    ['new App({ controllers: [\n  A,\n  B] })', 'new App({ controllers: [\n  A,\n  B,\n  X] })'],
    ['new App({ controllers: [/* none */] })', 'new App({ controllers: [X/* none */] })'],
    [
      'new App({ controllers: [...B, A] as const })',
      'new App({ controllers: [...B, A, X] as const })',
    ],
    [
      'new App({ controllers: defineControllers(A, B) })',
      'new App({ controllers: defineControllers(A, B, X) })',
    ],
    ["new App({ 'controllers': [A] })", "new App({ 'controllers': [A, X] })"],
    ['App.create({ a: `]`, controllers: [A] })', 'App.create({ a: `]`, controllers: [A, X] })'],
    ['new App<Env>({ controllers: [A] })', 'new App<Env>({ controllers: [A, X] })'],
    ['const o: AppOptions = { controllers: [A] }', 'const o: AppOptions = { controllers: [A, X] }'],
    ['new App({ ...base, controllers: [A] })', 'new App({ ...base, controllers: [A, X] })'],
    ['new App({})', 'new App({ controllers: [X] })'],
    ['new App({ title: /}/ })', 'new App({ title: /}/, controllers: [X] })'],
    ['new App({\n  title: `x`,\n})', 'new App({\n  title: `x`,\n  controllers: [X],\n})'],
    ['new App({\n\tprefix: "x" // p\n})', 'new App({\n\tprefix: "x", // p\n\tcontrollers: [X]\n})'],
  ])('%j gets the part', async (before, after) => {
    const project = new AddedTo({ 'src/app.ts': `${HEAD}export const app = ${before}\n` })
    const { status, stdout } = await project.add('controller x')
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringContaining('src/app.ts (changed)'),
    })
    const text = project.read('src/app.ts')
    const expected = after.replace(/\bX\b/, 'XController')
    expect(text).toBe(
      `${HEAD.trimEnd()}\nimport { XController } from './x-controller.js'\n\nexport const app = ${expected}\n`,
    )
    if (before.startsWith('const')) return
    expect(mistakes(text)).toEqual([])
    const lists = listed(text, 'controllers')
    if (!before.includes("'controllers'"))
      expect(lists).toEqual([expect.arrayContaining(['XController'])])
  })

  it.each<[string, Files]>([
    ['is another value', { 'src/app.ts': `${HEAD}new App({ controllers: all })` }],
    [
      'is a short form',
      { 'src/app.ts': `${HEAD}const controllers = [A]\nnew App({ controllers })` },
    ],
    ['is computed', { 'src/app.ts': `${HEAD}new App({ controllers: [A].concat(B) })` }],
    ['is a choice', { 'src/app.ts': `${HEAD}new App({ controllers: isTest ? [A] : [B] })` }],
    ['is not closed', { 'src/app.ts': `${HEAD}new App({ controllers: [A` }],
    [
      'is one of two in a file',
      { 'src/app.ts': `${HEAD}new App({ controllers: [A] })\nnew App({ controllers: [B] })` },
    ],
    [
      'is one of two files',
      { 'src/app.ts': APP, 'src/admin.ts': `${HEAD}new App({ controllers: [B] })` },
    ],
    [
      'may be that of an application without it',
      { 'src/app.ts': APP, 'src/admin.ts': `${HEAD}new App({})` },
    ],
    [
      'is replaced in a copy',
      { 'src/app.ts': APP, 'src/main.ts': 'f({ ...options, controllers: [] })' },
    ],
    [
      'is that of another package',
      { 'src/app.ts': "import { App } from 'other'\nnew App({ controllers: [] })" },
    ],
    ['is in a comment', { 'src/app.ts': `${HEAD}// new App({ controllers: [A] })` }],
    ['is in a string', { 'src/app.ts': `${HEAD}const a = 'new App({ controllers: [A] })'` }],
    ['is that of a test', { 'test/a.test.ts': `${HEAD}new App({ controllers: [A] })` }],
    [
      'is in a file without imports',
      { 'src/app.ts': "const { App } = require('blazon')\nnew App({ controllers: [] })" },
    ],
    [
      'is that of one of two modules',
      {
        'src/app.ts': APP,
        'src/m.ts':
          "import type { Module } from 'blazon'\nconst a: Module = { controllers: [] }\nconst b: Module = {}",
      },
    ],
  ])('that %s is left, and the line is printed', async (_, files) => {
    const project = new AddedTo(files)
    const { status, stdout, stderr } = await project.add('controller x --dir src')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(
      /No list was changed\. .+\nAdd to the options that you mean:\n {2}controllers: \[XController\],\n$/,
    )
    for (const [path, text] of Object.entries(files)) expect(project.read(path)).toBe(text)
    expect(project.read('src/x-controller.ts')).toContain('class XController')
    const before = project.files()
    expect((await project.add('controller x --dir src')).stdout).toContain('No list was changed.')
    expect(project.files()).toEqual(before)
  })

  it('of plugins is left if other code sets it', async () => {
    const stores =
      'export const withStores = (options) => {\n  const plugins = []\n  return { ...options, plugins }\n}\n'
    const project = new AddedTo({ ...PROJECT, 'src/stores.ts': stores })
    const { stdout } = await project.add('plugin audit')
    expect(stdout).toContain('Other code sets `plugins` in a copy of the options in src/app.ts.')
    expect(project.read('src/app.ts')).toBe(APP)
    expect((await project.add('controller orders')).stdout).toContain('src/app.ts (changed)')
  })

  it('is that of the one object with it when others only extend it', async () => {
    const main =
      "import { App } from 'blazon'\nimport { options } from './app.js'\nnew App({ ...options, logs: true })\n"
    const project = new AddedTo({ ...PROJECT, 'src/main.ts': main })
    await project.add('controller orders')
    expect(listed(project.read('src/app.ts'), 'controllers')).toEqual([
      ['HelloController', 'OrdersController'],
    ])
    expect(project.read('src/main.ts')).toBe(main)
  })
})

describe('the import', () => {
  const app = (imports: string) => `${imports}\nnew App({ controllers: [] })\n`
  it.each([
    ["import { App } from 'blazon'\n", "import { App } from 'blazon'\n+"],
    [
      "import { App } from 'blazon'\nimport a from './a.js'\nimport z from './z.js'\n",
      "import { App } from 'blazon'\nimport a from './a.js'\n+import z from './z.js'\n",
    ],
    [
      "import { App } from 'blazon'\nimport z from './z.js'\nimport a from './a.js' // last\n",
      "import { App } from 'blazon'\nimport z from './z.js'\nimport a from './a.js' // last\n+",
    ],
    [
      "import './polyfill.js'\nimport {\n  App,\n  Get,\n} from 'blazon'\n\nconst b = import('./b.js')\nimport.meta.url\n",
      "import './polyfill.js'\nimport {\n  App,\n  Get,\n} from 'blazon'\n+\nconst b = import('./b.js')\nimport.meta.url\n",
    ],
    ["#!/usr/bin/env node\n// import x from './x.js'\nimport { App } from 'blazon'\n", undefined],
  ])('has its place among %j', async (before, after = `${before}+`) => {
    const project = new AddedTo({ 'src/app.ts': app(before) })
    await project.add('controller orders')
    const line = "import { OrdersController } from './orders-controller.js'\n"
    expect(project.read('src/app.ts')).toBe(
      app(after.replace('+', line)).replace('[]', '[OrdersController]'),
    )
  })

  it('leads from the application to the folder of the part', async () => {
    const project = new AddedTo({ 'src/boot/app.ts': APP, 'src/http/hello-controller.ts': HELLO })
    await project.add('controller orders')
    expect(project.read('src/boot/app.ts')).toContain("from '../http/orders-controller.js'")
    await project.add('guard token --dir .')
    expect(project.read('src/boot/app.ts')).toContain("from '../../token-guard.js'")
    expect(project.read('test/token-guard.test.ts')).toContain("from '../token-guard.js'")
  })
})
