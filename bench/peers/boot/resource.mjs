// A resource of the boot benchmark as a plugin of Fastify's, which is what a controller is elsewhere.

const answers = (description) => ({ response: { 200: { description } } })

/** @param defineBody Makes the schema of a body, in whatever the application validates with. */
export function defineResource(n, defineBody) {
  const body = (part) => ({ body: defineBody(n * 5 + part) })
  return async function things(app) {
    app.get('/', { schema: answers('The things') }, async () => [])
    app.get('/:id', { schema: answers('The thing') }, async (req) => req.params)
    app.get(
      '/:id/history',
      { schema: answers('What happened to the thing') },
      async (req) => req.params,
    )
    app.get('/:id/parts/:partId', { schema: answers('The part') }, async (req) => req.params)
    app.delete('/:id', { schema: answers('The thing that was') }, async (req) => req.params)
    app.post('/', { schema: { ...body(0), ...answers('The new thing') } }, async (req) => req.body)
    app.put('/:id', { schema: { ...body(1), ...answers('The thing') } }, async (req) => req.body)
    app.patch('/:id', { schema: { ...body(2), ...answers('The thing') } }, async (req) => req.body)
    app.post(
      '/:id/parts',
      { schema: { ...body(3), ...answers('The new part') } },
      async (req) => req.body,
    )
    app.put(
      '/:id/parts/:partId',
      { schema: { ...body(4), ...answers('The part') } },
      async (req) => req.body,
    )
  }
}
