import { App, type AppOptions, Controller, Get, type Plugin, type RequestHandler } from 'blazon'
import type { EndedRequest } from 'blazon/plugin'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../../integrations/until.js'

@Controller('work')
class WorkController {
  @Get() list() {
    return []
  }
}

const origin = 'https://shop.example'
const PREFLIGHT = { origin, 'access-control-request-method': 'PUT' }

async function causeOf(options: AppOptions, path: string, init: RequestInit) {
  const ended: EndedRequest[] = []
  const observer: Plugin = {
    name: 'observer',
    requests: () => ({ onEnd: (request) => void ended.push(request) }),
  }
  const all = { controllers: [WorkController], plugins: [observer], logger: false, ...options }
  const app = new App(all as AppOptions)
  onTestFinished(() => app.close())
  const { port } = await app.listen(0, '127.0.0.1')
  const { status } = await fetch(`http://127.0.0.1:${port}${path}`, init)
  await until(() => ended.length > 0)
  expect(ended).toMatchObject([{ status, outcome: 'sent' }])
  return `${status} ${ended[0]?.cause}`
}

const cors = { security: { cors: { origin } } }
const responding: RequestHandler = (_req, res) => void res.status(202).end()
const passing: RequestHandler = (_req, _res, next) => next()

describe('the cause of a response', () => {
  it.each<[string, AppOptions, string, RequestInit, string]>([
    ['a preflight', cors, '/work', { method: 'OPTIONS', headers: PREFLIGHT }, '204 security'],
    ['a tenant', { tenant: {} }, '/work', { headers: { 'x-tenant-id': 'a b' } }, '400 tenant'],
    ['a middleware', { middlewares: [passing, responding] }, '/work', {}, '202 middleware'],
    ['no route', { middlewares: [passing], tenant: {}, ...cors }, '/none', {}, '404 router'],
    ['a handler', { middlewares: [passing], tenant: {}, ...cors }, '/work', {}, '200 handler'],
    ['too many parameters', {}, `/work?${'a&'.repeat(1001)}`, {}, '400 head'],
    ['a plugin', { health: true }, '/livez', {}, '200 framework'],
  ])('is the part of the application that sent it: %s', async (_, options, path, init, cause) => {
    expect(await causeOf(options, path, init)).toBe(cause)
  })
})

describe('a health route', () => {
  it('responds before all middlewares, even to a request with too many parameters', async () => {
    const options = { health: true, middlewares: [responding] }
    const path = `/livez?${'a&'.repeat(1001)}`
    expect(await causeOf(options, path, {})).toBe('200 framework')
  })
})
