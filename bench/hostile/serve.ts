// The application that hostile requests are sent to. Says what it has used when it is asked.
import { App } from 'blazon'
import { defineTargets } from './corpus.js'

const app = new App({ controllers: defineTargets(), logger: false })
const { port } = await app.listen(0, '127.0.0.1')

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS / 1024 })
})
process.on('disconnect', () => process.exit())
process.send?.({ port })
