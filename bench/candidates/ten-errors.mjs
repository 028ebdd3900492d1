// What Blazon and zod say of the order with ten wrong fields; the floor sends it as it stands.
const empty = 'Too small: expected string to have >=1 characters'

export const TEN_ERRORS = [
  ['customer.name', empty],
  ['customer.email', 'Invalid email address'],
  ['customer.address.street', empty],
  ['customer.address.city', empty],
  ['customer.address.zip', 'Too small: expected string to have >=3 characters'],
  ['customer.address.country', 'Too big: expected string to have exactly 2 characters'],
  ['items.0.sku', empty],
  ['items.0.quantity', 'Too small: expected number to be >=1'],
  ['items.0.price', 'Too small: expected number to be >=0'],
  ['items.1.quantity', 'Too small: expected number to be >=1'],
].map(([path, message]) => ({ in: 'body', path, message }))
