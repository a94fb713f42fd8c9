"""What the stores on a Redis server share: the connection, and errors in the words of the ports."""
