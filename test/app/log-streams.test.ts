import { execFile } from 'node:child_process'
import { afterAll, describe, expect, it } from 'vitest'
import { Project } from '../cli/project.js'

/** A program whose application warns at boot, listens, and closes. */
function listening(options: string): string {
  return `
    import { App } from 'blazon'
    console.log('own')
    const app = new App({ nonsense: 1${options} })
    await app.listen(0, '127.0.0.1')
    await app.close()
  `
}

const project = new Project([]).write({
  'default.mjs': listening(''),
  'logs.mjs': listening(', logs: true'),
  'logger.mjs': listening(', logger: { pretty: false }'),
})
afterAll(() => project.remove())

/** Runs a program, and returns what it has written to each stream. */
function run(name: string): Promise<{ stdout: string; stderr: string }> {
  const options = { env: { ...process.env, NODE_OPTIONS: '' } }
  return new Promise((resolve) => {
    execFile(process.execPath, [project.path(name)], options, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    )
  })
}

describe('the log lines of an application, including boot warnings and the line of listen()', () => {
  it('go to stderr by default, so that stdout has only the output of the program', async () => {
    const { stdout, stderr } = await run('default.mjs')
    expect(stdout).toBe('own\n')
    expect(stderr).toMatch(/W_OPTION_UNKNOWN[\s\S]*Listening on/)
  })

  it.each(['logs.mjs', 'logger.mjs'])(
    'go only to stdout with the option `logs` or `logger`: %s',
    async (name) => {
      const { stdout, stderr } = await run(name)
      expect(stderr).toBe('')
      expect(stdout).toMatch(/^own\n[\s\S]*W_OPTION_UNKNOWN[\s\S]*Listening on/)
    },
  )
})
