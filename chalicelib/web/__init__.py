"""The app: HTML screens at ``/app``, built from the API's answers for the signed-in person."""
