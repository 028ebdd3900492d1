import { describe, expect, it } from 'vitest'
import { testStarts } from '../../src/cli/replay/test-starts.js'

const APP = `import { defineAppOptions } from 'blazon'
import { Orders } from './orders.js'
export const options = defineAppOptions({ controllers: [Orders] })
`
const BY_OPTIONS = {
  expression: 'await TestApp.create({ ...options, ...capsule.options })',
  takesOptions: true,
  isOfTests: false,
  imports: [['../src/app.js', ['options']]],
  constants: [],
}

function starts(files: Readonly<Record<string, string>>) {
  const code = Object.entries(files).map(([path, text]) => ({ path, text }))
  return testStarts(code, 'test/replay.test.ts')
}

describe('a generated test starts the application', () => {
  it('with the exported options if there are no tests', () => {
    expect(starts({ 'src/app.ts': APP })).toEqual([BY_OPTIONS])
    const others = APP.replace('./orders.js', './orders')
    expect(starts({ 'src/app.ts': others })[0]?.imports).toEqual([['../src/app', ['options']]])
    expect(starts({ 'src/app.ts': APP.replace("'blazon'", "'other'") })).toEqual([])
  })

  it('with the TestApp.create() call of an existing test, including the code that the call needs', () => {
    const test = `import { randomBytes } from 'node:crypto'
import { TestApp } from 'blazon/testing'
import { options } from '../../src/app.js'
import { Env, unused } from '../../src/env.js'

const KEY = randomBytes(32)
const SECRET = KEY.toString('hex')
const other = 'SECRETS'
it('x', async () => {
  const app = await TestApp.create({
    ...options,
    // A ) in a text.
    testOverrides: [{ token: Env, useValue: Env.read({ note: ')', SECRET }) }],
  })
  await TestApp.create({ ...options, controllers: [One] })
})
`
    const [first, ...others] = starts({ 'src/app.ts': APP, 'test/unit/app.test.ts': test })
    expect(others).toEqual([BY_OPTIONS])
    expect(first).toEqual({
      expression: expect.stringMatching(
        /^await TestApp\.create\(\{ \.\.\.options,[\s\S]*\}\], \.\.\.capsule\.options \}\)$/,
      ),
      takesOptions: true,
      isOfTests: true,
      imports: [
        ['node:crypto', ['randomBytes']],
        ['blazon/testing', ['TestApp']],
        ['../src/app.js', ['options']],
        ['../src/env.js', ['Env']],
      ],
      constants: ['const KEY = randomBytes(32)', "const SECRET = KEY.toString('hex')"],
    })
  })

  it.each([
    [
      'export async function start(given = {}) {',
      'const app = await start()',
      ['await start({ ...capsule.options })', 'await start()'],
    ],
    [
      'export const start = async (given: Given) => {',
      "app = await start({ plan: 'free', })",
      ["await start({ plan: 'free', ...capsule.options })", "await start({ plan: 'free', })"],
    ],
    ['export function start() {', 'const { db, app } = await start()', ['(await start()).app']],
    [
      'export function start(plan: string) {',
      "await using app = await start('free')",
      ["await start('free')"],
    ],
  ])('with the function that the tests share: %s', (head, call, expressions) => {
    const found = starts({
      'src/app.ts': APP,
      'test/support/start.ts': `${head}\n  return TestApp.create({ ...options, ...given })\n}`,
      'test/app.test.ts': `import { start } from './support/start.js'\nit('x', async () => {\n  ${call}\n})`,
    })
    const own = found.filter(({ expression }) => expression.includes('start('))
    expect(own.map(({ expression }) => expression)).toEqual(expressions)
    expect(own.map(({ takesOptions }) => takesOptions)).toEqual(
      expressions.map((each) => each.includes('capsule')),
    )
    for (const { imports } of own) expect(imports).toEqual([['./support/start.js', ['start']]])
  })
})
