import { Service } from './service.js'

/** A run of `blazon start` with several workers. */
export class Crew {
  readonly service: Service
  url = ''

  private constructor(service: Service) {
    this.service = service
  }

  /** Starts the command without waiting for it. */
  static run(
    program: string,
    options: readonly string[] = ['--workers', '2'],
    env: Readonly<Record<string, string>> = {},
  ): Crew {
    return new Crew(Service.start(program, env, options))
  }

  /** Starts the command, and waits until all workers listen. The first one prints where, unless the program is of another framework. */
  static async start(...run: Parameters<typeof Crew.run>): Promise<Crew> {
    const crew = Crew.run(...run)
    await crew.service.wrote('workers listen, started in ')
    if (crew.service.output.includes('"Listening on ')) crew.url = await crew.service.url()
    return crew
  }

  /** Restarts the workers, and waits until all are replaced. */
  async restart(): Promise<void> {
    const before = this.restarts
    this.service.kill('SIGHUP')
    while (this.restarts === before) await this.wroteMore()
  }

  /** How many restarts are over. */
  get restarts(): number {
    return this.service.output.split('workers were replaced in').length - 1
  }

  /** Waits until the command or a worker has written something. */
  async wroteMore(): Promise<void> {
    await this.service.more()
  }

  /** Sends a request on a connection of its own, and returns the data. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, { ...init, headers: { connection: 'close', ...init.headers } })
  }

  /** The numbers of the processes that respond to so many requests. */
  async pids(requests = 8): Promise<Set<number>> {
    const pids = new Set<number>()
    for (let index = 0; index < requests; index++) {
      const { data } = (await (await this.ask('/pid')).json()) as { data: number }
      pids.add(data)
    }
    return pids
  }

  async end(): Promise<number | string> {
    this.service.kill('SIGTERM')
    return await this.service.ended
  }
}

/** An application that says which process responds. */
export const program = (options = '', handlers = '', listen = '') => `
const handlers = {
  'GET pid': () => process.pid,
  ${handlers}
}
const app = new App({ controllers: [controller(handlers)], ${options} })
await app.listen(Number(process.env.PORT ?? 0) ${listen})
`
