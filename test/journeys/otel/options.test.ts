import { SpanKind } from '@opentelemetry/api'
import { ConfigError, Controller, Get } from 'blazon'
import { otel } from 'blazon/otel'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { until } from '../../integrations/until.js'
import { usable } from '../../support.js'
import { send, tracedApps } from './letters.js'
import { isSupported } from './supported.js'
import { Tracing } from './tracing.js'

const tracing = new Tracing()
const { serve } = tracedApps()
afterEach(() => tracing.reset())
afterAll(() => tracing.end())

const servers = () => tracing.ofKind(SpanKind.SERVER)

describe.skipIf(!isSupported)('the options of otel()', () => {
  it('can ignore requests, including the spans of the code that they run', async () => {
    const { port } = await serve({
      health: true,
      plugins: [otel({ ignore: (req) => /^\/(livez|letters\/used)/.test(req.url) })],
    })
    await send(port, 'GET /livez')
    await send(port, 'GET /letters/used')
    await send(port, 'GET /letters')
    await tracing.trees()
    expect(tracing.spans.map(({ name }) => name)).toEqual(['query', 'handler', 'GET /letters'])
  })

  it('can add attributes to spans', async () => {
    const { port } = await serve({
      plugins: [
        otel({
          attributes: ({ req, cause }) => ({ 'client.address': req?.ip, 'app.cause': cause }),
        }),
      ],
    })
    await send(port, 'GET /letters')
    await until(() => servers().length > 0)
    expect(servers()[0]?.attributes).toMatchObject({
      'client.address': '127.0.0.1',
      'app.cause': 'handler',
    })
  })

  it('log an error, but still end the span, if the `attributes` function fails', async () => {
    const lines: { err?: Error }[] = []
    const logger = { info() {}, warn() {}, error: (facts: object) => void lines.push(facts) }
    const attributes = () => {
      throw new Error('no attributes')
    }
    const { port } = await serve({ logger, plugins: [otel({ attributes })] })
    expect(await send(port, 'GET /letters')).toContain(' 200 ')
    await tracing.trees()
    expect(servers()).toHaveLength(1)
    expect(lines.map(({ err }) => err?.message)).toEqual(['no attributes'])
  })

  it('can add no attributes, and can be undefined', async () => {
    const options = { attributes: () => undefined, ignore: undefined, root: undefined }
    const { port } = await serve({ plugins: [otel(options as never)] })
    await send(port, 'GET /letters')
    await tracing.trees()
    expect(servers().map(({ name }) => name)).toEqual(['GET /letters'])
  })

  it('can name the path at which the application is mounted', async () => {
    @Controller()
    class RootController {
      @Get() get() {
        return 'x'
      }
      @Get('x') x() {
        return 'x'
      }
    }
    const controllers = [RootController]
    const { port } = await serve({ controllers, plugins: [otel({ root: '/of/:tenant' })] })
    await send(port, 'GET /')
    await send(port, 'GET /x')
    await tracing.trees(2)
    expect(servers().map(({ name }) => name)).toEqual(['GET /of/:tenant', 'GET /of/:tenant/x'])
  })

  it('can leave out the spans of steps', async () => {
    const { port } = await serve({ plugins: [otel({ steps: false })] })
    await send(port, 'GET /letters')
    expect(await tracing.trees()).toEqual([{ name: 'GET /letters', children: [{ name: 'query' }] }])
  })

  it.each([
    [3, /options must be an object/],
    [{ roots: '/x' }, /not an option of this version/],
    [{ root: 'x' }, /begins with a slash/],
    [{ root: '/x/' }, /does not end with one/],
    [{ ignore: true }, /Pass a function/],
    [{ attributes: {} }, /Pass a function/],
    [{ steps: 'no' }, /true or false/],
    [{ statements: 1 }, /true or false/],
    [{ root: '/' }, /does not end with one/],
    [{ tracerProvider: {} }, /provider of an SDK/],
    [{ tracerProvider: null }, /provider of an SDK/],
    [[], /Pass an object, or nothing/],
  ])('are refused if they are invalid: %o', (options, remedy) => {
    expect(() => usable(otel(options as never))).toThrow(ConfigError)
    expect(() => usable(otel(options as never))).toThrow(remedy)
  })
})
