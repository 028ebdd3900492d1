import { describe, expect, it } from 'vitest'
import { freePort } from '../cli/dev-run.js'
import { Service } from './service.js'
import { Crew, program } from './workers.js'

describe('blazon start --workers 2', () => {
  it('runs two processes on one port, and replaces them when they are killed and on SIGHUP', async () => {
    const crew = await Crew.start(program())
    const first = await crew.pids()
    expect(first.size).toBe(2)
    expect(first).not.toContain(crew.service.child.pid)
    expect(crew.service.output.match(/isten(?:ing)? on/g)).toHaveLength(1)

    const [victim] = first
    process.kill(victim as number, 'SIGKILL')
    await crew.service.wrote('ended by SIGKILL. Another one starts now.')
    await expect.poll(async () => (await crew.pids()).size).toBe(2)
    const second = await crew.pids()
    expect(second).not.toContain(victim)

    // The restart runs the current version of the program.
    crew.service.rewrite(program('', `'GET version': () => 2,`))
    await crew.restart()
    const third = await crew.pids()
    expect(third.size).toBe(2)
    expect([...third].filter((pid) => second.has(pid))).toEqual([])
    expect((await crew.ask('/version')).status).toBe(200)
    expect(crew.service.logged('Closing')).toHaveLength(2)

    // A version that does not start replaces no worker.
    crew.service.rewrite(`throw new TypeError('broken version')`)
    crew.service.kill('SIGHUP')
    await crew.service.wrote('The restart is aborted')
    expect(crew.service.output).toContain('TypeError: broken version')
    expect(await crew.pids()).toEqual(third)
    expect(await crew.end()).toBe(0)
  })

  it('exits immediately with status 1 on a second signal', async () => {
    const crew = await Crew.start(
      program('', `'GET slow': async () => { say('entered'); await wait(5000); return 1 },`),
    )
    const response = crew.ask('/slow')
    await crew.service.wrote('entered')
    crew.service.kill('SIGINT')
    await crew.service.wrote('"Closing"')
    crew.service.kill('SIGTERM')
    expect(await response.catch(() => 'cut')).toBe('cut')
    expect(await crew.service.ended).toBe(1)
  })

  it('completes a running request on SIGTERM, and exits with status 1 if another was aborted', async () => {
    const crew = await Crew.start(
      program(
        "timeouts: { close: '500ms' },",
        `'GET slow': async () => { say('entered'); await signalled; await wait(50); return 1 },
        'GET stuck': () => { say('stuck'); return new Promise(() => {}) },`,
      ),
    )
    const responses = ['/slow', '/stuck'].map((path) => crew.ask(path).catch(() => 'cut'))
    for (const text of ['entered', 'stuck']) await crew.service.wrote(text)
    expect(await crew.end()).toBe(1)
    expect(await Promise.all(responses)).toMatchObject([{ status: 200 }, 'cut'])
  })

  it('prints a boot error only once, and exits with status 1', async () => {
    const { service } = Crew.run(`throw new TypeError('no database')`)
    expect(await service.ended).toBe(1)
    expect(service.output.match(/TypeError: no database/g)).toHaveLength(1)
  })

  it('listens on the port of listen(), and exits with status 1 if the port is in use', async () => {
    const port = String(await freePort())
    const own = program().replace('process.env.PORT ?? 0', port)
    const first = await Crew.start(own)
    expect(new URL(first.url).port).toBe(port)
    const { service } = Crew.run(own)
    expect(await service.ended).toBe(1)
    expect(service.output).toContain('EADDRINUSE')
  })

  it('ends its workers when it is killed', async () => {
    const crew = await Crew.start(program())
    crew.service.kill('SIGKILL')
    // Its output ends when no process has it open.
    expect(await crew.service.ended).toBe('SIGKILL')
  })

  it('runs programs of other frameworks, and passes arguments to them', async () => {
    const port = await freePort()
    const crew = await Crew.start(
      `import { createServer } from 'node:http'
      process.on('SIGTERM', () => process.exit())
      createServer((_, res) => res.end(JSON.stringify({ data: process.argv.slice(2) }))).listen(${port})`,
      ['--workers', '2', '--', 'a', '--b'],
    )
    crew.url = `http://127.0.0.1:${port}`
    expect(await (await crew.ask('/')).json()).toEqual({ data: ['a', '--b'] })
    await crew.restart()
    expect(await (await crew.ask('/')).json()).toEqual({ data: ['a', '--b'] })
  })
})

describe('SIGHUP', () => {
  it('does not make /readyz fail, and aborts `req.signal` of an open stream, which can then send a last event', async () => {
    const crew = await Crew.start(
      program(
        "health: true, timeouts: { preStop: '500ms' },",
        `async 'GET events'(req, res) {
          res.type('text/event-stream').write('data: hello\\n\\n')
          await new Promise((resolve) => req.signal.addEventListener('abort', resolve))
          res.end('event: restart\\ndata:\\n\\n')
        },`,
      ),
    )
    const response = await crew.ask('/events')
    const text = response.text()
    const restart = crew.restart()
    let isOver = false
    void restart.then(() => {
      isOver = true
    })
    const statuses = new Set<number>()
    while (!isOver) statuses.add((await crew.ask('/readyz')).status)
    // The port stays open.
    expect([...statuses]).toEqual([200])
    expect(crew.service.logged('Closing')).toHaveLength(2)
    expect(await text).toBe('data: hello\n\nevent: restart\ndata:\n\n')
  })

  it('keeps the old workers if a new worker is not ready in time', async () => {
    const check = (text: string) => program(`health: { checks: { database: () => { ${text} } } },`)
    const crew = await Crew.start(check(''), ['--workers', '2', '--timeout', '3'])
    const before = await crew.pids()
    crew.service.rewrite(check(`throw new Error('away')`))
    crew.service.kill('SIGHUP')
    await crew.service.wrote('was not ready within 3 s')
    // The new worker listens until it has closed.
    await expect.poll(() => crew.pids()).toEqual(before)
  })
})

describe('a signal during startup', () => {
  it.each([
    [
      'that is loading its modules',
      `process.removeAllListeners('SIGTERM'); say('starting'); await wait(1e6)`,
    ],
    [
      'whose plugins are starting',
      `const slow = { name: 'slow', setup: async () => { say('starting'); await signalled } }
       await new App({ plugins: [slow] }).listen(0)`,
    ],
  ])('ends a worker %s, and the command exits with status 0', async (_, source) => {
    const { service } = Crew.run(`setInterval(() => {}, 1000); ${source}`)
    await service.wrote('starting')
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  })
})

describe('blazon start with one worker', () => {
  it('runs the program in its own process', async () => {
    const service = Service.start(program('', '', ', { signals: true }'), {}, [])
    const url = await service.url()
    const { data } = (await (await fetch(`${url}/pid`)).json()) as { data: number }
    expect(data).toBe(service.child.pid)
    service.kill('SIGTERM')
    expect(await service.ended).toBe(0)
  })

  it('runs the program as the main module with its arguments, and returns its exit status', async () => {
    const service = Service.start(
      `say(JSON.stringify(process.argv.slice(1))); process.exitCode = 5`,
      {},
      ['--', 'x'],
    )
    expect(await service.ended).toBe(5)
    expect(JSON.parse(service.output.trim())).toEqual([expect.stringMatching(/main\.mjs$/), 'x'])
  })
})
