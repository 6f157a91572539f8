"""Trains a Keras model with MultiWorkerMirroredStrategy; all workers must end with the same weights."""

import json
import os
import socket
import time

import tensorflow as tf

BATCH = 64


def data():
    """The same points in every run, of which the strategy gives each worker its share."""
    inputs = tf.random.stateless_normal([512, 4], seed=[1, 2])
    targets = inputs @ [[1.0], [-2.0], [3.0], [-4.0]] + 5.0
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    return tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(BATCH).with_options(options)


def wait_for_end(address):
    """Returns when nobody serves at the address any more."""
    host, port = address.rsplit(":", 1)
    while True:
        try:
            socket.create_connection((host, int(port))).close()
        except OSError:
            return
        time.sleep(0.2)


def main():
    config = json.loads(os.environ["TF_CONFIG"])
    worker = config["task"]["index"]
    # The strategy must come before any other operation: it starts the server that the peers talk to.
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    print(f"worker {worker} of {strategy.num_replicas_in_sync}", flush=True)

    # Workers start apart on purpose: the strategy has to bring them to worker 0's weights.
    tf.keras.utils.set_random_seed(worker)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
        model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss="mse")

    # Keras reports the mean over all workers, so every worker prints the same number.
    def report(epoch, logs):
        print(f"worker {worker} epoch {epoch + 1} loss {logs['loss']:.6g}", flush=True)

    model.fit(data(), epochs=5, verbose=0, callbacks=[tf.keras.callbacks.LambdaCallback(on_epoch_end=report)])
    weights = " ".join(f"{w:.6f}" for v in model.get_weights() for w in v.flatten())
    print(f"worker {worker} weights {weights}", flush=True)

    # The end of worker 0 is the end of the job, and takes the pods of those that have not finished.
    if worker == 0:
        for peer in config["cluster"]["worker"][1:]:
            wait_for_end(peer)


if __name__ == "__main__":
    main()
