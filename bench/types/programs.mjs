// Programs that mean the same to each framework: resources of ten routes, each with a parameter and a body of its own, and a handler whose types
// come from the schemas.

/** Routes of a resource: a file with a controller, a plugin, or what else a framework calls it. */
export const ROUTES_OF_RESOURCE = 10

const BODY =
  'z.object({ name: z.string().min(1), amount: z.number().int(), tags: z.array(z.string()), note: z.string().optional() })'

const ZOD = "import { z } from 'zod'\n"
const ID = 'const Id = z.object({ id: z.string() })\n'

/** What every handler returns. `planted` is a mistake in the last of them. */
const result = (params, body, planted) =>
  `{ id: ${params}.id, total: ${body}.${planted ? 'amonut' : 'amount'} + ${body}.tags.length, name: ${body}.name, note: ${body}.note ?? null }`

const join = (parts) => parts.join('\n')
const each = (count, of) => Array.from({ length: count }, (_, index) => of(index))
const bodies = () => join(each(ROUTES_OF_RESOURCE, (k) => `const Body${k} = ${BODY}`))
const isLast = (k) => k === ROUTES_OF_RESOURCE - 1
const importAll = (count, name) =>
  join(each(count, (n) => `import { ${name(n)} } from './resource-${n}.js'`))

function blazonResource(n, isPlanted) {
  const methods = each(
    ROUTES_OF_RESOURCE,
    (k) => `  @Post(':id/operation-${k}', input${k})
  operation${k}({ params, body }: Req<typeof input${k}>) {
    return ${result('params', 'body', isPlanted && isLast(k))}
  }`,
  )
  const inputs = each(ROUTES_OF_RESOURCE, (k) => `const input${k} = { params: Id, body: Body${k} }`)
  return `import { Controller, Post, type Req } from 'blazon'
${ZOD}${ID}${bodies()}
${join(inputs)}

@Controller('resource-${n}')
export class Resource${n} {
${join(methods)}
}
`
}

const blazonMain = (count) => `import { App, defineControllers } from 'blazon'
${importAll(count, (n) => `Resource${n}`)}

export const app = new App({ controllers: defineControllers(${each(count, (n) => `Resource${n}`).join(', ')}) })
`

function decoratedResource(n, isPlanted) {
  const methods = each(
    ROUTES_OF_RESOURCE,
    (k) => `  @Post(':id/operation-${k}')
  @Params(Id)
  @Body(Body${k})
  operation${k}({ params, body }: Req<{ params: typeof Id; body: typeof Body${k} }>) {
    return ${result('params', 'body', isPlanted && isLast(k))}
  }`,
  )
  return `import { Body, Controller, Params, Post, type Req } from 'blazon'
${ZOD}${ID}${bodies()}

@Controller('resource-${n}')
export class Resource${n} {
${join(methods)}
}
`
}

function fastifyResource(n, isPlanted) {
  const routes = each(
    ROUTES_OF_RESOURCE,
    (
      k,
    ) => `  app.post('/resource-${n}/:id/operation-${k}', { schema: { params: Id, body: Body${k} } }, async ({ params, body }) => (
    ${result('params', 'body', isPlanted && isLast(k))}
  ))`,
  )
  return `import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
${ZOD}${ID}${bodies()}

export const resource${n}: FastifyPluginAsyncZod = async (app) => {
${join(routes)}
}
`
}

const fastifyMain = (count) => `import Fastify from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
${importAll(count, (n) => `resource${n}`)}

export const app = Fastify()
app.setValidatorCompiler(validatorCompiler)
app.setSerializerCompiler(serializerCompiler)
${join(each(count, (n) => `app.register(resource${n})`))}
`

function elysiaResource(n, isPlanted) {
  const routes = each(
    ROUTES_OF_RESOURCE,
    (k) => `  .post('/:id/operation-${k}', ({ params, body }) => (
    ${result('params', 'body', isPlanted && isLast(k))}
  ), { params: Id, body: Body${k} })`,
  )
  return `import { Elysia } from 'elysia'
${ZOD}${ID}${bodies()}

export const resource${n} = new Elysia({ prefix: '/resource-${n}' })
${join(routes)}
`
}

const elysiaMain = (count) => `import { Elysia } from 'elysia'
${importAll(count, (n) => `resource${n}`)}

export const app = new Elysia()
${join(each(count, (n) => `  .use(resource${n})`))}
`

function honoResource(n, isPlanted) {
  const routes = each(
    ROUTES_OF_RESOURCE,
    (
      k,
    ) => `  .post('/:id/operation-${k}', zValidator('param', Id), zValidator('json', Body${k}), (c) => {
    const [params, body] = [c.req.valid('param'), c.req.valid('json')]
    return c.json(${result('params', 'body', isPlanted && isLast(k))})
  })`,
  )
  return `import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
${ZOD}${ID}${bodies()}

export const resource${n} = new Hono()
${join(routes)}
`
}

const honoMain = (count) => `import { Hono } from 'hono'
${importAll(count, (n) => `resource${n}`)}

export const app = new Hono()
${join(each(count, (n) => `  .route('/resource-${n}', resource${n})`))}
`

/** The client knows every route by the type of the server; it calls one of each resource. */
const honoClient = (count, isPlanted) => `import { hc } from 'hono/client'
import type { app } from './main.js'

const client = hc<typeof app>('http://127.0.0.1')
${join(
  each(
    count,
    (n) =>
      `export const call${n} = () => client['resource-${n}'][':id']['operation-0'].$post({ param: { id: '1' }, json: { name: 'Ada', ${
        isPlanted && n === count - 1 ? 'amonut' : 'amount'
      }: 1, tags: [] } })`,
  ),
)}
`

function zodResource(n, isPlanted) {
  const handlers = each(
    ROUTES_OF_RESOURCE,
    (
      k,
    ) => `export function operation${k}(params: z.infer<typeof Id>, body: z.infer<typeof Body${k}>) {
  return ${result('params', 'body', isPlanted && isLast(k))}
}`,
  )
  return `${ZOD}${ID}${bodies()}

${join(handlers)}

export const resource${n} = [${each(ROUTES_OF_RESOURCE, (k) => `operation${k}`).join(', ')}]
`
}

const zodMain = (count) => `${importAll(count, (n) => `resource${n}`)}

export const resources = [${each(count, (n) => `resource${n}`).join(', ')}]
`

const BLAZON = {
  title: 'Blazon, schemas in the options of the route',
  resource: blazonResource,
  main: blazonMain,
}

/** Each with its title, and how its files are written. `isPeer` is in the other package; `client` is a file that uses the types. */
export const PROGRAMS = {
  zod: {
    title: 'zod alone: the schemas, and functions of their types',
    resource: zodResource,
    main: zodMain,
  },
  fastify: {
    title: 'Fastify, fastify-type-provider-zod',
    resource: fastifyResource,
    main: fastifyMain,
    isPeer: true,
  },
  elysia: { title: 'Elysia', resource: elysiaResource, main: elysiaMain, isPeer: true },
  hono: {
    title: 'Hono, @hono/zod-validator',
    resource: honoResource,
    main: honoMain,
    isPeer: true,
  },
  'hono-client': {
    title: 'the same with the type of its client, `hc`',
    resource: honoResource,
    main: honoMain,
    client: honoClient,
    isPeer: true,
  },
  blazon: BLAZON,
  'blazon-legacy': { ...BLAZON, title: 'the same with `experimentalDecorators`', isLegacy: true },
  'blazon-decorated': {
    title: 'Blazon, schemas in `@Params` and `@Body`',
    resource: decoratedResource,
    main: blazonMain,
  },
}

/** The files of a program by name. With `isPlanted`, one of them has a mistake that the compiler must find. */
export function filesOf({ resource, main, client }, { routes, isPlanted = false }) {
  const count = routes / ROUTES_OF_RESOURCE
  const isHere = (n) => isPlanted && client === undefined && n === count - 1
  const files = Object.fromEntries(each(count, (n) => [`resource-${n}.ts`, resource(n, isHere(n))]))
  files['main.ts'] = main(count)
  if (client !== undefined) files['client.ts'] = client(count, isPlanted)
  return files
}
