// What an order must be, and what is answered, as JSON Schema; `order-schema.mjs` says the same in zod.
const string = { type: 'string' }
const number = { type: 'number' }
const object = (properties, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text = (minLength, maxLength) => ({ type: 'string', minLength, maxLength })

export const enveloped = (data) =>
  object({ statusCode: string, status: { type: 'integer' }, message: string, data })

export const user = object({
  id: string,
  name: string,
  email: string,
  roles: { type: 'array', items: string },
})

export const account = object({ id: string, roles: { type: 'array', items: string } })

export const order = object(
  {
    customer: object({
      name: text(1, 100),
      email: { type: 'string', format: 'email' },
      address: object({
        street: text(1, 200),
        city: text(1, 100),
        zip: text(3, 12),
        country: text(2, 2),
      }),
    }),
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: object({
        sku: text(1, 40),
        quantity: { type: 'integer', minimum: 1, maximum: 1000 },
        price: { type: 'number', minimum: 0 },
      }),
    },
    note: { type: 'string', maxLength: 500 },
  },
  ['customer', 'items'],
)

export const placed = object({
  id: string,
  tenant: string,
  customer: order.properties.customer,
  items: { type: 'array', items: order.properties.items.items },
  total: number,
})
