import { Load, type Sent } from './load.js'
import { Crew } from './workers.js'

const PROGRAM = `
const handlers = {
  'GET orders': async () => { await wait(3); return 'all' },
  'POST orders': async ({ headers }) => { say('did ' + headers['x-order']); await wait(3); return 'done' },
}
const app = new App({ controllers: [controller(handlers)], health: true, timeouts: { preStop: '1s' } })
await app.listen(0)
`

/** The result of the load. */
export interface Outcome extends Sent {
  /** The orders that workers have carried out. */
  readonly done: readonly string[]
  readonly status: number | string
}

/**
 * Restarts two workers again and again, under 400 requests in a second: half of them \`POST\`, half of them on connections of
 * their own, and half on connections that stay open.
 */
export async function restartUnderLoad(restarts: number): Promise<Outcome> {
  const crew = await Crew.start(PROGRAM)
  const load = new Load({
    port: Number(new URL(crew.url).port),
    requests: 8,
    opensConnections: true,
  })
  load.start()
  for (let index = 0; index < restarts; index++) await crew.restart()
  await load.stop()
  const status = await crew.end()
  const done = [...crew.service.output.matchAll(/^did (.+)$/gm)].map(([, order]) => order as string)
  return { ...load.result, done, status }
}
