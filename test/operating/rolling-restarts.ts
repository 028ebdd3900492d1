import { onTestFinished } from 'vitest'
import { Load, type Sent } from './load.js'
import { ReverseProxy } from './reverse-proxy.js'
import { Service } from './service.js'

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
export interface Outcome extends Sent {
  /** The orders that processes have carried out. */
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
  const load = new Load({ port: proxy.port, requests: 10 })
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
