// npm run bench:scrape: for how long a scrape of the metrics of 1,000 routes stops the event loop, and how large it is.
import { performance } from 'node:perf_hooks'
import { App, Controller, Get } from '../dist/index.js'

const ROUTES = 1000
const SCRAPES = 100

class Numbers {}
for (let n = 0; n < ROUTES; n++) {
  Numbers.prototype[`get${n}`] = () => n
  const descriptor = Object.getOwnPropertyDescriptor(Numbers.prototype, `get${n}`)
  Get(`${n}`)(Numbers.prototype, `get${n}`, descriptor)
}
Controller('numbers')(Numbers)

const app = await App.create({
  controllers: [Numbers],
  metrics: true,
  logger: false,
  swagger: false,
})
// Each route has its series once it has had a request.
for (let n = 0; n < ROUTES; n++) {
  await (await app.fetch(new Request(`http://localhost/numbers/${n}`))).text()
}

/** The longest time between two turns of the event loop while the metrics are read, and their size. */
async function scrape() {
  let [longest, isOver] = [0, false]
  let before = performance.now()
  const tick = () => {
    const now = performance.now()
    longest = Math.max(longest, now - before)
    before = now
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  const text = await (await app.fetch(new Request('http://localhost/metrics'))).text()
  isOver = true
  return { longest, bytes: text.length }
}

const found = []
for (let n = 0; n < SCRAPES; n++) found.push(await scrape())
const times = found.map(({ longest }) => longest).sort((a, b) => a - b)
const at = (share) => times[Math.floor(share * (SCRAPES - 1))].toFixed(2)
console.log('| Longest stop of the event loop | ms |\n| --- | ---: |')
console.log(`| median of ${SCRAPES} scrapes | ${at(0.5)} |`)
console.log(`| nine in ten | ${at(0.9)} |`)
console.log(`\n${ROUTES} routes, ${(found[0].bytes / 1000).toFixed(0)} kB.`)
await app.close()
