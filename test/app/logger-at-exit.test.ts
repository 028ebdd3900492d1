import { execFile } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { Project } from '../cli/project.js'

/** A program that logs and then ends, in one turn of the event loop. */
function ending(end: string): string {
  return `
    import { App, Log } from 'blazon'
    const app = await App.create({ logger: { pretty: false } })
    const log = app.get(Log)
    for (let n = 0; n < 1000; n++) log.info({ n }, 'x'.repeat(200))
    ${end}
  `
}

const project = new Project([]).write({
  'exit.mjs': ending('process.exit(3)'),
  'error.mjs': ending("throw new Error('uncaught')"),
  'rejection.mjs': ending("Promise.reject(new Error('unhandled')); await new Promise(() => {})"),
  'end.mjs': ending(''),
  'close.mjs': ending('await app.close(); process.kill(process.pid, "SIGKILL")'),
  'closed.mjs': ending("await app.close(); log.info({ n: 1000 }, 'after'); process.exit()"),
})
afterAll(() => project.remove())

/** Runs a program, and returns what it has written to stdout. */
function run(name: string): Promise<string> {
  const options = { env: { ...process.env, NODE_OPTIONS: '' }, maxBuffer: 10 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile(process.execPath, [project.path(name)], options, (_, stdout) => resolve(stdout))
  })
}

const numbersOf = async (name: string): Promise<number[]> => {
  const lines = (await run(name)).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line).n)
}

describe('the built-in logger', () => {
  it.each(['exit.mjs', 'error.mjs', 'rejection.mjs', 'end.mjs', 'close.mjs'])(
    'loses no line at the end of a process: %s',
    async (name) => {
      expect(await numbersOf(name)).toEqual(Array.from({ length: 1000 }, (_, n) => n))
    },
  )

  it('loses no line that is written after the application is closed', async () => {
    expect(await numbersOf('closed.mjs')).toHaveLength(1001)
  })
})
