// A process of its own, which an attack may end. It runs the application as its own server, as `handler`, and mounted in
// Express, and notes the errors that would have ended the process.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { App, type AppOptions, defineControllers, type Plugin, type Request } from 'blazon'
import type { StepFactory } from 'blazon/plugin'
import express from 'express'
import { holdResponse } from '../../src/http/send/hold-response.js'
import { ResetController } from './reset-app.js'

const uncaught: string[] = []
const note = (what: string) => (error: unknown) =>
  uncaught.push(`${what}: ${(error as Error)?.stack}`)
process.on('uncaughtException', note('uncaught'))
process.on('unhandledRejection', note('unhandled'))

/** As a database does: the response is sent after the commit, or replaced if the commit fails. */
const holding: Plugin = {
  name: 'holding',
  steps({ path }, { fail }) {
    if (!path.startsWith('/held')) return null
    const hold: StepFactory = (next) => (req, res) => {
      const commit = async () => {
        await new Promise((resolve) => setTimeout(resolve, 2))
        if (Math.random() < 0.3) throw new Error('not committed')
      }
      holdResponse(res, { before: commit, refused: (error) => fail(error, req, res) })
      return next(req, res)
    }
    return { aroundHandler: hold }
  },
}

const options: AppOptions = {
  controllers: defineControllers(ResetController),
  plugins: [holding],
  auth: { guard: { canActivate: async (req: Request) => req.get('authorization') === 'good' } },
  limits: { body: 200, headers: 30 },
  timeouts: { handler: '30ms', close: '1h', keepAlive: '100ms' },
  tenant: {},
  middlewares: [(_req, _res, next) => void (Math.random() < 0.2 ? setImmediate(next) : next())],
  logger: false,
}

const apps = ['own', 'handler', 'mounted'].map(() => new App(options))
const [own, handled, mounted] = apps as [App, App, App]

async function listen(server: Server): Promise<number> {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve as () => void))
  return (server.address() as AddressInfo).port
}

const servers = [createServer(handled.handler), createServer(express().use(mounted.handler))]

async function start(): Promise<void> {
  await Promise.all(apps.map((app) => app.init()))
  const { port } = await own.listen(0, '127.0.0.1')
  const others = await Promise.all(servers.map(listen))
  process.send?.({ ports: [port, ...others] })
}

/** Closes nothing by force, so that a leaked resource keeps the process alive. */
async function stop(): Promise<void> {
  await Promise.all([
    ...servers.map((server) => new Promise((resolve) => server.close(resolve))),
    ...apps.map((app) => app.close()),
  ])
  process.send?.({ uncaught }, () => process.disconnect())
}

process.on('message', (message) => {
  if (message === 'stop') void stop()
  else process.send?.({ uncaught, open: process.getActiveResourcesInfo() })
})
void start()
