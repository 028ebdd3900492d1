import assert from 'node:assert/strict';
import { TestApp } from 'blazon/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { SampleNameController } from '../src/sample-name-controller.js';

describe('SampleNameController', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({
      controllers: [SampleNameController],
      contract: 'throw',
    });
  });

  afterEach(() => app?.close());

  it('returns the ID in the path', async () => {
    const { body } = await app.request().get('/sample-name/7').expect(200);
    assert.deepEqual(body.data, { id: '7' });
  });
});
