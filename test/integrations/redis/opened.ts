import { createClient } from 'redis'
import { url } from './server.js'
import { testContext } from './support.js'

/** Deletes everything under a prefix. */
async function sweep(prefix: string): Promise<void> {
  const redis = await createClient({ url }).connect()
  for await (const keys of redis.scanIterator({ MATCH: `${prefix}*`, COUNT: 1000 })) {
    if (keys.length > 0) await redis.unlink(keys)
  }
  redis.destroy()
}

interface Opened {
  open?(
    context: ReturnType<typeof testContext>['context'] & { get: () => never; usesTenants: boolean },
  ): unknown
  close?(): unknown
}

/** Opens a store, and returns what closes it and deletes its keys. */
export async function opened(store: Opened, prefix: string): Promise<() => Promise<void>> {
  const get = () => {
    throw new Error('unused')
  }
  await store.open?.({ ...testContext().context, get, usesTenants: false })
  return async () => {
    await store.close?.()
    await sweep(prefix)
  }
}
