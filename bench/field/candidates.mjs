// Who takes part in the workloads of the field. The page imports this file where no package of the bench is installed.

/** Each with its title, the file that is run, and what it is told. Tenants are compared with the floor that has them, too. */
export const CANDIDATES = {
  node: { title: 'bare node:http and pg', file: 'field/node.mjs', args: ['plain'] },
  fastify: { title: 'Fastify', file: 'peers/field/fastify.mjs', args: ['plain'] },
  hono: { title: 'Hono', file: 'peers/field/hono.mjs', args: ['plain'] },
  express: { title: 'Express', file: 'field/express.mjs', args: ['plain'] },
  'nest-express': {
    title: 'NestJS on Express',
    file: 'peers/.build/field-nest.mjs',
    args: ['plain', 'express'],
  },
  'nest-fastify': {
    title: 'NestJS on Fastify',
    file: 'peers/.build/field-nest.mjs',
    args: ['plain', 'fastify'],
  },
  blazon: { title: 'Blazon', file: '.build/field-blazon.mjs', args: ['plain'] },
  'node-tenant': {
    title: 'bare node:http and pg, the statements of a tenant',
    file: 'field/node.mjs',
    args: ['tenant'],
  },
  'blazon-tenant': {
    title: 'Blazon, a tenant',
    file: '.build/field-blazon.mjs',
    args: ['tenant'],
  },
}

export const isTenant = (candidate) => CANDIDATES[candidate].args[0] === 'tenant'

export const isFloor = (candidate) => CANDIDATES[candidate].file === 'field/node.mjs'

/** The floor and the Blazon that a candidate is compared with: those without a tenant, or those with one. */
export function peersOf(candidate) {
  const suffix = isTenant(candidate) ? '-tenant' : ''
  return { floor: `node${suffix}`, blazon: `blazon${suffix}` }
}
