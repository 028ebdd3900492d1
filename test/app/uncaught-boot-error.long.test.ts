import { execFile } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { Project } from '../cli/project.js'

const project = new Project([]).write({
  'listen.mjs': `
    import { App } from 'blazon'

    function server() {
      return new App({ logger: false, limits: { depth: -1 } })
    }

    await server().listen(0)
  `,
  'create.mjs': `
    import { App } from 'blazon'

    async function main() {
      await new Promise((resolve) => setTimeout(resolve, 1))
      await App.create({ logger: false, limits: { depth: -1 } })
    }
    main()
  `,
  'forgotten.mjs': `
    import { App } from 'blazon'
    new App({ logger: false, limits: { depth: -1 } }).init()
  `,
  'factory.mjs': `
    import { App } from 'blazon'
    function connect() {
      throw new Error('No database today')
    }
    await App.create({ logger: false, providers: [{ token: 'db', useFactory: connect }] })
  `,
  'hook.mjs': `
    import { App } from 'blazon'
    class Database {
      onInit() {
        throw new Error('No database today')
      }
    }
    await App.create({ logger: false, providers: [Database] })
  `,
})
afterAll(() => project.remove())

/** The output of Node for a program. */
function run(name: string, ...flags: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' }
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, project.path(name)], { env }, (_, out, err) =>
      resolve(out + err),
    )
  })
}

/** Lines of a stack. */
const framesOf = (text: string) => text.split('\n').filter((line) => /^\s+at /.test(line))

describe('an uncaught boot error', () => {
  it.each([
    ['listen.mjs', /listen\.mjs:8:/],
    ['create.mjs', /at (?:async )?main \(.*create\.mjs:6:/],
    ['forgotten.mjs', /forgotten\.mjs:3:/],
  ])(
    'is printed with its problems and the line of the program that caused it: %s',
    async (name, place) => {
      for (const flags of [[], ['--enable-source-maps']]) {
        const text = await run(name, ...flags)
        expect(text).toContain('ConfigError: The application cannot start: 1 problem.')
        expect(text).toContain('[E_OPTION_INVALID] limits.depth')
        expect(text.match(/Pass a whole number above 0\./g)).toHaveLength(1)
        expect(framesOf(text)).toEqual([expect.stringMatching(place)])
        expect(text).not.toContain('blazon/dist')
      }
    },
  )

  it('shows the line of the program where a factory failed', async () => {
    const text = await run('factory.mjs')
    expect(text).toContain('No database today')
    expect(framesOf(text)[0]).toMatch(/factory\.mjs:6:/)
    expect(text).toMatch(/at connect \(.*factory\.mjs:4:/)
  })

  it('keeps its stack if the program itself has thrown it', async () => {
    const text = await run('hook.mjs')
    expect(text).toContain('Error: No database today')
    expect(framesOf(text)[0]).toMatch(/onInit \(.*hook\.mjs:5:/)
  })
})
