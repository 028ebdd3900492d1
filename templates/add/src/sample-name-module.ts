import type { Module } from 'blazon';
import { SampleNameController } from './sample-name-controller.js';

export const sampleNameModule: Module = {
  name: 'sample-name',
  controllers: [SampleNameController],
};
