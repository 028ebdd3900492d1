import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../cli/dev-run.js'
import { Crew, program } from './workers.js'

/** Has the command run code before it forks workers. */
function inPrimary(code: string): { readonly NODE_OPTIONS: string } {
  const text = `import cluster from 'node:cluster'; if (cluster.isPrimary) { ${code} }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(text)}` }
}

describe('blazon start --workers 2', () => {
  it.each([
    [
      'throws the error',
      'const { fork } = cluster; let forks = 0; cluster.fork = (env) => { forks += 1; if (forks === 3) throw new Error("spawn node ENOMEM"); return fork(env) }',
    ],
    [
      'emits the error as an event',
      'let forks = 0; const { execPath } = process; cluster.on("fork", () => { forks += 1; cluster.settings.execPath = process.execPath = forks === 2 ? "/none/ENOMEM" : execPath })',
    ],
  ])(
    'keeps its workers if the system refuses to start another process and Node %s',
    async (_, code) => {
      const crew = await Crew.start(program(), undefined, inPrimary(code))
      const before = await crew.pids()
      crew.service.kill('SIGHUP')
      await crew.service.wrote('The restart is aborted')
      expect(crew.service.output).toMatch(/worker 1 .*ended before it started: spawn .*ENOMEM/)
      expect(await crew.pids()).toEqual(before)
      await crew.restart()
      expect(await crew.end()).toBe(0)
    },
  )

  it('continues if a connection could not be sent to a worker', async () => {
    const crew = await Crew.start(
      program(),
      undefined,
      inPrimary(
        'cluster.on("message", (worker) => { for (let i = 0; i < 2; i++) worker.process.emit("error", new Error("write EPIPE")) })',
      ),
    )
    const before = await crew.pids()
    expect(crew.service.output).not.toContain('EPIPE')
    expect(before.size).toBe(2)
    await crew.restart()
    expect(await crew.end()).toBe(0)
  })

  it('waits for all applications that a program starts in sequence', async () => {
    const ports = { first: await freePort(), second: await freePort() }
    const both = (version: number, wait: string) => `
      const appOf = (name, wait) => new App({
        controllers: [controller({ 'GET who': () => name + ${version} })],
        plugins: [{ name: 'slow', onInit: () => wait }],
      })
      await appOf('first').listen(${ports.first})
      await appOf('second', ${wait}).listen(${ports.second})
    `
    const crew = await Crew.start(both(1, 'undefined'), ['--workers', '2', '--timeout', '3'])
    // The second application of the new version never starts.
    crew.service.rewrite(both(2, 'new Promise(() => setInterval(() => {}, 1000))'))
    crew.service.kill('SIGHUP')
    await crew.service.wrote('The restart is aborted')
    const ask = async (port: number) => (await fetch(`http://127.0.0.1:${port}/who`)).json()
    expect(await ask(ports.second)).toMatchObject({ data: 'second1' })
  })

  it('ends with the boot error if the second application of a program cannot listen', async () => {
    const taken = createServer().listen(0)
    onTestFinished(() => void taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const { service } = Crew.run(`${program()}
      const other = new App()
      await other.listen(${port})
    `)
    expect(await service.ended).toBe(1)
    expect(service.output.match(/EADDRINUSE/)).not.toBeNull()
  })
})
