// What a request asks Redis, and in how many flights: counted between the process and Redis, one request at a time.
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { ask } from './ask.mjs'

const REQUESTS = 20

/** Stands before a Redis and counts what is sent to it, until it is stopped. */
export async function countFlights(redis) {
  const counter = { flights: 0 }
  const server = createServer((socket) => {
    const other = connect(redis.port, '127.0.0.1')
    socket.on('data', () => counter.flights++)
    socket.pipe(other).pipe(socket)
    for (const each of [socket, other]) each.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `redis://127.0.0.1:${server.address().port}`
  return { counter, url, stop: () => server.close() }
}

/** Commands and flights of a request to each of `paths`, which are cached as far as they can be, by path. */
export async function countTrips(port, { paths, redis, counter }) {
  const trips = {}
  for (const path of paths) {
    for (let i = 0; i < 5; i++) await ask(port, path)
    await redis.client.sendCommand(['CONFIG', 'RESETSTAT'])
    const before = counter.flights
    for (let i = 0; i < REQUESTS; i++) await ask(port, path)
    const flights = (counter.flights - before) / REQUESTS
    trips[path] = { flights, commands: commandsIn(await redis.client.info('commandstats')) }
  }
  return trips
}

/** What the script of a limit calls, which is counted like what is sent. */
const OF_THE_SCRIPT = ['INCR', 'PTTL']

/** What was sent with every request; the rest is the benchmark's own, or a ping. */
function commandsIn(stats) {
  return [...stats.matchAll(/^cmdstat_([\w|]+):calls=(\d+)/gm)]
    .filter(([, , calls]) => Number(calls) >= REQUESTS)
    .map(([, name]) => name.toUpperCase())
    .filter((name) => !OF_THE_SCRIPT.includes(name))
}
