import { Agent, request } from 'node:http'
import { Crew } from './workers.js'

/** In each interval, this many requests are sent. */
const INTERVAL_MS = 20
const REQUESTS = 8

const PROGRAM = `
const handlers = {
  'GET orders': async () => { await wait(3); return 'all' },
  'POST orders': async ({ headers }) => { say('did ' + headers['x-order']); await wait(3); return 'done' },
}
const app = new App({ controllers: [controller(handlers)], health: true, metrics: true })
await app.listen(0)
`

/** The result of the load. */
export interface Outcome {
  readonly sent: number
  /** Requests that were not responded with 200, as \`POST 502: …\`. */
  readonly failed: readonly string[]
  /** The orders that were posted, and those that workers have carried out. */
  readonly posted: readonly string[]
  readonly done: readonly string[]
  readonly status: number | string
  /** How many requests the metrics have counted in the end. */
  readonly counted: number
}

/**
 * Restarts two workers again and again, under 400 requests in a second: half of them \`POST\`, half of them on connections of
 * their own, and half on connections that stay open.
 */
export async function restartUnderLoad(restarts: number): Promise<Outcome> {
  const crew = await Crew.start(PROGRAM)
  const load = new Load(Number(new URL(crew.url).port))
  load.start()
  for (let index = 0; index < restarts; index++) await crew.restart()
  await load.stop()
  const metrics = await (await crew.ask('/metrics')).text()
  const status = await crew.end()
  const done = [...crew.service.output.matchAll(/^did (.+)$/gm)].map(([, order]) => order as string)
  return { ...load.result, done, status, counted: countOf(metrics) }
}

function countOf(metrics: string): number {
  const series = metrics.matchAll(
    /^http_server_request_duration_seconds_count\{.*orders.*\} (\d+)/gm,
  )
  return [...series].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Sends requests at a fixed rate, whether or not they are responded. */
class Load {
  readonly #kept = new Agent({ keepAlive: true })
  readonly #fresh = new Agent({ keepAlive: false })
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
    this.#kept.destroy()
  }

  #add(): void {
    const order = String(this.#sent++)
    const method = this.#sent % 2 === 0 ? 'GET' : 'POST'
    const agent = this.#sent % 4 < 2 ? this.#kept : this.#fresh
    if (method === 'POST') this.#posted.push(order)
    const sent = this.#send({ method, agent, order }).then((failure) => {
      this.#pending.delete(sent)
      if (failure !== null) this.#failed.push(`${method} ${failure}`)
    })
    this.#pending.add(sent)
  }

  #send({ method, agent, order }: { method: string; agent: Agent; order: string }) {
    const options = { port: this.#port, host: '127.0.0.1', path: '/orders', agent }
    return new Promise<string | null>((resolve) => {
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
