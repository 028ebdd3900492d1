// The shop that every candidate is: two resources with five routes each. It imports nothing.

const user = (id) => ({ id, name: 'Ada Lovelace', email: 'ada@example.com' })
const order = (id) => ({ id, sku: 'KB-104', quantity: 1 })

export const users = resource(user)
export const orders = resource(order)

function resource(make) {
  return {
    list: () => [make('1'), make('2')],
    read: (id) => make(id),
    create: (body) => ({ id: '3', ...body }),
    replace: (id, body) => ({ id, ...body }),
    remove: (id) => ({ id }),
  }
}
