import { Agent, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { ReverseProxy } from './reverse-proxy.js'
import { Service } from './service.js'

/** The rate of the requests: in each interval, this many. */
const INTERVAL_MS = 20
const REQUESTS = 10

const PROGRAM = `
const handlers = {
  'GET orders': async () => { await wait(5); return 'all' },
  'POST orders': async ({ headers }) => { say('did ' + headers['x-order']); await wait(5); return 'done' },
}
const app = new App({
  controllers: [controller(handlers)],
  health: true,
  timeouts: { preStop: '300ms' },
})
await app.listen(0, { signals: true })
`

/** The result of the load. */
export interface Outcome {
  readonly sent: number
  /** Requests that were not responded with 200, as \`POST 502: …\`. */
  readonly failed: readonly string[]
  /** The orders that were posted, and those that processes have carried out, in order. */
  readonly posted: readonly string[]
  readonly done: readonly string[]
  /** The exit codes of the processes that were restarted. */
  readonly exits: readonly (number | string)[]
}

/**
 * Restarts two processes behind a proxy in turns, under 500 requests in a second, half of them \`POST\`.
 *
 * @param restarts How many times a process is restarted.
 */
export async function restartUnderLoad(restarts: number): Promise<Outcome> {
  const proxy = await ReverseProxy.start()
  const load = new Load(proxy.port)
  onTestFinished(async () => {
    await load.stop()
    await proxy.close()
  })
  const services: Service[] = []
  const startOne = async () => {
    const service = Service.start(PROGRAM)
    services.push(service)
    const port = Number(new URL(await service.url()).port)
    await proxy.add(port)
    return { service, port }
  }
  const running = [await startOne(), await startOne()]
  load.start()
  const exits: (number | string)[] = []
  for (let index = 0; index < restarts; index++) {
    const { service, port } = running.shift() as (typeof running)[number]
    service.kill('SIGTERM')
    exits.push(await service.ended)
    proxy.remove(port)
    running.push(await startOne())
  }
  await load.stop()
  for (const { service } of running) service.kill('SIGTERM')
  exits.push(...(await Promise.all(running.map(({ service }) => service.ended))))
  const done = services.flatMap(({ output }) =>
    [...output.matchAll(/^did (.+)$/gm)].map(([, order]) => order as string),
  )
  return { ...load.result, done, exits }
}

/** Sends requests at a fixed rate, whether or not they are responded. */
class Load {
  readonly #agent = new Agent({ keepAlive: true })
  readonly #port: number
  readonly #pending = new Set<Promise<void>>()
  readonly #failed: string[] = []
  readonly #posted: string[] = []
  #sent = 0
  #timer: NodeJS.Timeout | undefined

  constructor(port: number) {
    this.#port = port
  }

  get result(): Pick<Outcome, 'sent' | 'failed' | 'posted'> {
    return { sent: this.#sent, failed: this.#failed, posted: this.#posted }
  }

  start(): void {
    this.#timer = setInterval(() => {
      for (let index = 0; index < REQUESTS; index++) this.#add()
    }, INTERVAL_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#agent.destroy()
  }

  #add(): void {
    const order = String(this.#sent++)
    const method = this.#sent % 2 === 0 ? 'GET' : 'POST'
    if (method === 'POST') this.#posted.push(order)
    const sent = this.#send(method, order).then((failure) => {
      this.#pending.delete(sent)
      if (failure !== null) this.#failed.push(`${method} ${failure}`)
    })
    this.#pending.add(sent)
  }

  #send(method: string, order: string): Promise<string | null> {
    const options = { port: this.#port, host: '127.0.0.1', path: '/orders', agent: this.#agent }
    return new Promise((resolve) => {
      request({ ...options, method, headers: { 'x-order': order } }, (res) => {
        let text = ''
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        res.on('end', () => resolve(res.statusCode === 200 ? null : `${res.statusCode}: ${text}`))
        res.on('error', (error) => resolve(error.message))
      })
        .on('error', (error) => resolve(error.message))
        .end()
    })
  }
}
